// What the scripts say, in the language of the page; words.js has it for all but English.
const translate = (text, values = {}) =>
  (globalThis.COURSE_WORDS?.[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Every chapter's notebooks are called lesson.ipynb and assignment.ipynb; in a downloads folder eleven
// of each would be told apart by nothing, so the number of the chapter goes in front: ch01_lesson.ipynb.
for (const link of document.querySelectorAll('a[href^="../../_sources/"][href$=".ipynb"]')) {
  const [folder, name] = link.href.split("/").slice(-2);
  link.download = `${folder.split("_")[0]}_${name}`;
}

// Paper is white: a dark page would be printed in light letters on it. And it cannot be unfolded.
const theme = document.documentElement.dataset;
let folded = [];
addEventListener("beforeprint", () => {
  theme.onScreen = theme.theme;
  theme.theme = "light";
  folded = [...document.querySelectorAll(".bd-article details:not([open])")];
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  theme.theme = theme.onScreen;
  for (const details of folded) details.open = false;
});

// A box that scrolls sideways has to be reached by the Tab key, and shows on which side there is more.
const GROUPS = { PRE: translate("Code"), DIV: translate("Formula") };
const look = (box) => {
  const more = box.scrollWidth - box.clientWidth;
  box.classList.toggle("more-before", box.scrollLeft > 1);
  box.classList.toggle("more-after", more - box.scrollLeft > 1);
  for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
  if (more <= 1) return;
  box.tabIndex = 0;
  const kind = GROUPS[box.tagName];
  if (kind) box.setAttribute("role", "group");
  const table = box.querySelector(".caption-number")?.textContent.trim() ?? translate("Table");
  box.setAttribute("aria-label", translate("{what}, can be scrolled sideways", { what: kind ?? table }));
};
const sizes = new ResizeObserver((changes) => changes.forEach(({ target }) => look(target)));
for (const box of document.querySelectorAll(".bd-article :is(pre, table, div.math)")) {
  sizes.observe(box);
  box.addEventListener("scroll", () => look(box), { passive: true });
}

// A line of code that is wider than its box goes on below, further to the right than it began.
const LANGUAGES = ["ipython3", "python", "bash", "powershell"];
const CODE = LANGUAGES.map((language) => `.bd-article .highlight-${language} pre`);
for (const code of document.querySelectorAll(CODE.join())) {
  code.innerHTML = code.innerHTML.replace(/.*\n/g, (line) => {
    const text = line.replace(/<[^>]*>/g, "");
    const indent = text.length - text.trimStart().length;
    const breakable = line
      .replace(/[([]<\/span>|(?=<span class="o">\.<)|(?<=[\w"}]|[\w"}]<\/span>|\w\.)\/(?=\w)/g, "$&<wbr>")
      .replace(/<span class="o">-<\/span><span class="(?:mf|mi|n)">[^<]*<\/span>/g, '<span class="option">$&</span>')
      .replace(/(?<=^|[\s>"])--?\w[\w-]*/g, '<span class="option">$&</span>');
    return `<span class="line" style="--indent: ${indent + 4}ch">${breakable}</span>`;
  });
}

// A short piece of code in the text stays on one line, and so does a word of a longer one, such as a
// command's option. A name that is nearly as long as a phone's line, or as the line of a table's column,
// goes on below where it has a joint.
for (const code of document.querySelectorAll(".bd-article code.literal")) {
  const line = code.closest("td, th") ? 20 : 26;
  code.classList.toggle("short", code.textContent.length < 15);
  for (const word of code.querySelectorAll(".pre")) {
    const short = word.textContent.length < line;
    word.classList.toggle("short", short);
    if (short) continue;
    word.innerHTML = word.innerHTML.replace(/[(=](?=\w)|\w[_.](?=[a-z])|\/(?=[\w&])|[\w;]-(?=\w)/g, "$&<wbr>");
  }
}
