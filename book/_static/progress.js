// Which lessons and exercises are done. Only this browser knows it: nothing is sent anywhere.
{
  const DONE = "course-done"; // in localStorage
  const minutesOf = JSON.parse(document.getElementById("minutes")?.textContent ?? "{}");
  const done = () => new Set(JSON.parse(localStorage.getItem(DONE) ?? "[]"));
  const keep = (pages) => {
    localStorage.setItem(DONE, JSON.stringify([...pages]));
    show();
  };

  const pageAt = (address) =>
    new URL(address, location).pathname.match(/notebooks\/\w+\/(?:lesson|assignment)(?=\.html$)/)?.[0];
  const here = pageAt(location);

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const forget = element("button", {
    type: "button",
    textContent: translate("Forget my progress"),
    onclick: () => keep([]),
  });
  const status = element("div", { role: "status" });
  const progress = element("section", { className: "course-progress", ariaLabel: translate("Your progress") });
  const checkbox = element("input", {
    type: "checkbox",
    onchange: () => {
      const pages = done();
      pages[checkbox.checked ? "add" : "delete"](here);
      keep(pages);
    },
  });
  if (here) {
    const mark = here.endsWith("lesson") ? translate("Mark this lesson as done") : translate("Mark these exercises as done");
    progress.append(element("label", {}, checkbox, ` ${mark}`), status, forget);
    document.querySelector(".bd-article").append(progress);
  } else {
    progress.append(status, forget);
    document.querySelector(".chapter-table")?.after(progress);
  }

  const tick = () => {
    const said = element("span", { className: "visually-hidden", textContent: translate(" (done)") });
    const drawn = element("span", { ariaHidden: "true", textContent: " ✓" });
    return element("span", { className: "done" }, drawn, said);
  };

  const inWords = (minutes) =>
    minutes < 90
      ? translate("{count} minutes", { count: minutes })
      : translate("{count} hours", { count: Math.round(minutes / 60) });

  function show() {
    const pages = done();
    document.querySelectorAll(".done").forEach((old) => old.remove());
    for (const link of document.querySelectorAll(".bd-docs-nav a")) {
      if (pages.has(pageAt(link.href))) link.append(tick());
    }
    for (const row of document.querySelectorAll(".chapter-table tr:has(a)")) {
      const lesson = pageAt(row.querySelector("a").href);
      if (pages.has(lesson)) row.cells[2].firstChild.append(tick());
      if (pages.has(lesson.replace(/lesson$/, "assignment"))) row.cells[3].firstChild.append(tick());
    }
    const all = Object.keys(minutesOf);
    const count = (kind) => {
      const of = all.filter((page) => page.endsWith(kind));
      const count = of.filter((page) => pages.has(page)).length;
      return translate("{count} of {all}", { count, all: of.length });
    };
    const left = all.filter((page) => !pages.has(page)).reduce((sum, page) => sum + minutesOf[page], 0);
    checkbox.checked = pages.has(here);
    progress.hidden = !here && pages.size === 0;
    forget.hidden = pages.size === 0;
    status.textContent = left === 0
      ? translate("You have done the whole course.")
      : translate(
          "Done: {lessons} lessons and {exercises} sets of exercises. The rest of the course takes about {time}.",
          { lessons: count("lesson"), exercises: count("assignment"), time: inWords(left) },
        );
  }

  show();
  addEventListener("storage", show); // from another tab
  addEventListener("pageshow", show); // by the back button

  // How much of a lesson is left to read, by how far its text has been scrolled.
  const contents = document.querySelector(".onthispage");
  if (here?.endsWith("lesson") && contents) {
    const left = element("p", { className: "time-left" });
    contents.after(left);
    const article = document.querySelector(".bd-article");
    const look = () => {
      const { top, height } = article.getBoundingClientRect();
      const unread = Math.min(1, Math.max(0, (top + height - innerHeight) / (height - innerHeight)));
      const minutes = Math.round(unread * minutesOf[here]);
      left.textContent = translate("{minutes} of {all} minutes left", { minutes, all: minutesOf[here] });
    };
    look();
    addEventListener("scroll", () => requestAnimationFrame(look), { passive: true });
  }
}
