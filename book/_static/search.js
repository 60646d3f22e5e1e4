// The results of the search: of every page the section that fits best, and some words of it.
// Its text comes with a script, so that this works from disk, where a page cannot fetch another.

const WORD = /[\p{L}\p{N}_]+(?:[-\u2010\u2011–][\p{L}\p{N}_]+)*/gu;
const EXCERPT = 220; // characters
const stemmer = new Stemmer();

// The terms of a query that a word of a text contains, as the index has them.
const termsIn = (word, terms) => {
  const parts = word.toLowerCase().split(/[-\u2010\u2011–]/);
  const stems = [...parts, parts.join("")].map((part) => stemmer.stemWord(part));
  const { terms: indexed, titleterms } = Search._index;
  return terms.filter((term) =>
    Object.hasOwn(indexed, term) || Object.hasOwn(titleterms, term)
      ? stems.includes(term)
      : stems.some((stem) => stem.includes(term)));
};

// Chinese has no spaces: a term is found wherever it stands.
const HAN = /\p{Script=Han}/u;
const hanHitsIn = (text, term) =>
  [...text.matchAll(term)].map(({ index }) => ({ term, from: index, to: index + term.length }));

const hitsIn = (text, terms) => {
  const spaced = terms.filter((term) => !HAN.test(term));
  const han = terms.filter((term) => HAN.test(term));
  const hits = [...text.matchAll(WORD)].flatMap((word) =>
    termsIn(word[0], spaced).map((term) => ({ term, from: word.index, to: word.index + word[0].length })));
  return [...hits, ...han.flatMap((term) => hanHitsIn(text, term))].sort((a, b) => a.from - b.from);
};

// A query in Chinese as the words of the index, the longest that fit.
const segmented = (query) =>
  query.replace(/\p{Script=Han}+/gu, (run) => {
    const { terms, titleterms } = Search._index;
    const words = [];
    for (let from = 0; from < run.length; from += words.at(-1).length) {
      let to = run.length;
      const known = () => Object.hasOwn(terms, run.slice(from, to)) || Object.hasOwn(titleterms, run.slice(from, to));
      while (to > from + 1 && !known()) to -= 1;
      words.push(run.slice(from, to));
    }
    // A single character is in no index, unless nothing else is asked for.
    const indexed = words.filter((word) => word.length > 1);
    return ` ${(indexed.length ? indexed : words).join(" ")} `;
  });

const distinct = (hits) => new Set(hits.map(({ term }) => term)).size;

// Where a word is explained comes before where it is practised: an exercise, or a list of exercises,
// is rated below every section of a lesson that has all the words.
const bestSection = (page, terms, isExercises) => {
  const rated = page.sections.map(([anchor, title, text]) => {
    const hits = hitsIn(text, terms);
    const practises = isExercises || title === "Exercises";
    const place = practises ? -10 : 15 * distinct(hitsIn(title, terms));
    return { anchor, title, text, hits, rating: 10 * distinct(hits) + Math.min(hits.length, 9) + place };
  });
  return rated.reduce((best, section) => (section.rating > best.rating ? section : best));
};

const mark = (paragraph, text, hits, from, to) => {
  let done = from;
  for (const hit of hits.filter((hit) => hit.from >= from && hit.to <= to)) {
    if (hit.from < done) continue;
    paragraph.append(text.slice(done, hit.from));
    paragraph.appendChild(document.createElement("mark")).textContent = text.slice(hit.from, hit.to);
    done = hit.to;
  }
  paragraph.append(text.slice(done, to));
};

// Where a text may be cut: behind a space or, in Chinese, behind a mark.
const gapBefore = (text, place) => {
  const gap = Math.max(...[" ", "，", "。", "、", "；"].map((mark) => text.lastIndexOf(mark, place))) + 1;
  return Math.max(0, gap);
};

// The stretch of a text with the most terms of the query, from the beginning of a sentence if it is near.
const excerpt = ({ text, hits }) => {
  const within = (start) => hits.filter(({ from, to }) => from >= start && to <= start + EXCERPT / 2);
  const starts = hits.map(({ from }) => from);
  const start = starts.reduce(
    (best, place) => (distinct(within(place)) > distinct(within(best)) ? place : best), starts[0] ?? 0);
  const sentence = Math.max(text.lastIndexOf(". ", start) + 2, text.lastIndexOf("。", start) + 1);
  const near = start - sentence < EXCERPT / 2;
  const begin = sentence < 2 && near ? 0 : near ? sentence : gapBefore(text, start - EXCERPT / 3);
  const full = text.length <= begin + EXCERPT;
  const end = full ? text.length : gapBefore(text, begin + EXCERPT);
  const paragraph = document.createElement("p");
  paragraph.className = "context";
  if (!near) paragraph.append("… ");
  mark(paragraph, text, hits, begin, end);
  if (!full) paragraph.append(" …");
  return paragraph;
};

Search.query = (query) => {
  const [words, wanted, excluded, highlighted, objects] = Search._parseQuery(segmented(query));
  const terms = [...wanted];
  const names = new Set(
    Search._performSearch(words, wanted, excluded, highlighted, objects).map(([name]) => name));
  const results = [...names]
    .filter((name) => Object.hasOwn(COURSE_TEXT, name))
    .map((name) => {
      const page = COURSE_TEXT[name];
      return { name, page, best: bestSection(page, terms, name.endsWith("/assignment")) };
    })
    .sort((a, b) => b.best.rating - a.best.rating || a.name.localeCompare(b.name));
  for (const { name, page, best } of results) {
    const item = Search.output.appendChild(document.createElement("li"));
    const link = item.appendChild(document.createElement("a"));
    const isPage = best === undefined || page.sections[0][0] === best.anchor;
    link.href = `${name}.html${isPage ? "" : `#${best.anchor}`}`;
    link.textContent = isPage ? page.title : `${page.title} › ${best.title}`;
    item.append(excerpt(best));
  }
  Search.stopPulse();
  Search.title.innerText = translate("Results");
  const found = { count: results.length, query: query.trim() };
  Search.status.innerText =
    results.length > 1
      ? translate("{count} pages have “{query}”.", found)
      : results.length
        ? translate("One page has “{query}”.", found)
        : translate("No pages have “{query}”.", found);
};
