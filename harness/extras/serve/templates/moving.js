"use strict";
/* Keeps a page up to date: when the server says that something has changed, the page is fetched again and its <main> is
   exchanged. What is open, sorted or focused stays so. Without scripts the page stays as it was. */
(() => {
const events = document.body.dataset.events, sign = document.getElementById("moving");
if (!events || !window.EventSource) return;
let tag = null, busy = false, again = false, last = document.querySelector("main").innerHTML;

function exchange(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  if (!fresh || fresh.innerHTML === last) return;
  last = fresh.innerHTML;
  const open = new Set([...document.querySelectorAll("details[open]")].map(one => one.id));
  const scrolled = [...document.querySelectorAll("main .scroll")].map(one => one.scrollLeft);
  const focused = [...document.querySelectorAll("main a, main button, main summary")].indexOf(document.activeElement);
  document.querySelector("main").innerHTML = fresh.innerHTML;
  for (const one of document.querySelectorAll("details")) one.open = open.has(one.id);
  document.querySelectorAll("main .scroll").forEach((one, index) => { one.scrollLeft = scrolled[index] ?? 0; });
  tablesPage.renew();
  if (focused >= 0) document.querySelectorAll("main a, main button, main summary")[focused]?.focus({preventScroll: true});
}
async function renew() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, {headers: tag ? {"If-None-Match": tag} : {}, cache: "no-store"});
    if (answer.status !== 304) {
      tag = answer.headers.get("ETag");
      exchange(await answer.text());
    }
  } catch { /* The server is away; the stream says when it is back. */ } finally {
    busy = false;
    if (again) { again = false; setTimeout(renew, 500); }
  }
}
let stream = null;
function follow() {
  if (stream || document.hidden) return;
  stream = new EventSource(events);
  stream.addEventListener("changed", renew);
  stream.onopen = () => { sign.className = "on"; sign.textContent = "follows"; };
  stream.onerror = () => {
    sign.className = "";
    sign.textContent = "not connected";
    if (stream.readyState === EventSource.CLOSED) { stream = null; setTimeout(follow, 15000); }
  };
}
/* A page that nobody sees asks for nothing. */
document.addEventListener("visibilitychange", () => {
  if (document.hidden && stream) { stream.close(); stream = null; }
  follow();
});
follow();
})();
