/* Guides come before reference pages, and these before pages for those who change Bowerbird. Sphinx copies this file
   into searchtools.js; the numbers below `score` are its own. */
var Scorer = {
  score: ([page, , , , score]) => {
    if (/^(tutorials|how-to)\//.test(page)) return score + 6;
    if (/^(internals\/|reference\/json|python\/)/.test(page)) return score - 6;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
