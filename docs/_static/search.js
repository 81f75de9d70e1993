"use strict";
/* Above what the search finds: the questions of questions.md that share words with the query, each with its answer.
   QUESTIONS is a list of {question, answers: [[words, address]]}, written into the search page by conf.py. */
const EMPTY = new Set("a an and are be can do does for from how i if in is it its may me my of on or the to what when where which who why with".split(" "));
const SHARE = .5, MOST = 5, STEM = 5;

const wordsOf = text => (text.toLowerCase().match(/[\p{L}\p{N}+#]+/gu) ?? []).filter(word => !EMPTY.has(word));
const stem = word => word.slice(0, STEM);

/* How much of the query a question answers: the share of the asked words that are in it, or in its answer. */
function shareOf({question, answers}, asked) {
  const said = new Set(wordsOf(question).map(stem));
  const more = new Set(answers.flatMap(([words]) => wordsOf(words)).map(stem));
  const points = asked.map(word => said.has(word) ? 1 : more.has(word) ? .6 : 0);
  return points.reduce((sum, one) => sum + one, 0) / asked.length;
}

function listOf(found) {
  const section = document.createElement("section");
  section.id = "answers";
  section.append(Object.assign(document.createElement("h2"), {textContent: "Questions that are answered"}));
  const list = section.appendChild(document.createElement("ul"));
  for (const {question, answers} of found) {
    const item = list.appendChild(document.createElement("li"));
    item.append(`${question} `);
    answers.forEach(([words, address], place) => {
      item.append(place ? ", " : "→ ", Object.assign(document.createElement("a"), {href: address, textContent: words}));
    });
  }
  return section;
}

function showAnswers() {
  const asked = wordsOf(new URLSearchParams(location.search).get("q") ?? "").map(stem);
  if (!asked.length) return;
  const shares = QUESTIONS.map(one => ({...one, share: shareOf(one, asked)})).filter(one => one.share >= SHARE);
  const found = shares.sort((one, other) => other.share - one.share || one.question.length - other.question.length).slice(0, MOST);
  if (found.length) document.getElementById("search-results").before(listOf(found));
}
showAnswers();
