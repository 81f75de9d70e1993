"use strict";
/* What a page with tables of a run can do besides being read: list its parts, sort tables, open a variant by its link. */
const tablesPage = (() => {
const wish = new Map();

/* Sorts a table by a column. `down` is the direction; cells without a value come last. */
function sort(table, place, down) {
  const value = row => row.cells[place].dataset.v;
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
    return down ? -order : order;
  });
  const head = table.tHead.rows[0].cells[place];
  table.querySelectorAll("[aria-sort]").forEach(one => one.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
}
const tables = () => [...document.querySelectorAll("table.sortable")];
document.addEventListener("click", event => {
  const button = event.target.closest("[data-sort]");
  if (!button) return;
  const head = button.closest("th"), table = button.closest("table");
  const down = head.getAttribute("aria-sort") !== "descending";
  wish.set(tables().indexOf(table), [head.cellIndex, down]);
  sort(table, head.cellIndex, down);
});
function openWished() {
  const wished = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wished && wished.matches("details")) { wished.open = true; wished.scrollIntoView(); }
}
/* Updates the page after its <main> is replaced: lists its parts, and sorts its tables as before. */
function renew() {
  const parts = document.querySelector("nav[aria-label='Parts of the report']");
  if (parts) fill(parts, [...document.querySelectorAll("section[id] > h2")].map(one => `<a href="#${one.parentElement.id}">${one.innerHTML}</a>`).join(""));
  for (const [index, [place, down]] of wish) if (tables()[index]?.tHead.rows[0].cells[place]) sort(tables()[index], place, down);
  if (document.getElementById("theme")) themeSwitch();
}
addEventListener("hashchange", openWished);
let closed = [];
addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details:not([open])")]; closed.forEach(one => { one.open = true; }); });
addEventListener("afterprint", () => closed.forEach(one => { one.open = false; }));
renew();
openWished();
return {renew};
})();
