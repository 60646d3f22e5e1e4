// Every chapter's notebook is called lesson.ipynb; in a downloads folder eleven of them would be
// told apart by nothing, so the file takes the name of its chapter's folder.
for (const link of document.querySelectorAll('a[href$="/lesson.ipynb"]')) {
  link.download = `${link.href.split("/").at(-2)}.ipynb`;
}
