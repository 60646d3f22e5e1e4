// Every chapter's notebook is called lesson.ipynb; in a downloads folder eleven of them would be
// told apart by nothing, so the file takes the name of its chapter's folder.
for (const link of document.querySelectorAll('a[href$="/lesson.ipynb"]')) {
  link.download = `${link.href.split("/").at(-2)}.ipynb`;
}

// Paper is white: a dark page would be printed in light letters on it.
const theme = document.documentElement.dataset;
addEventListener("beforeprint", () => {
  theme.onScreen = theme.theme;
  theme.theme = "light";
});
addEventListener("afterprint", () => {
  theme.theme = theme.onScreen;
});
