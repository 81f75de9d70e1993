"use strict";
/* What the theme leaves out for people who use a keyboard or a screen reader. */
const SCROLLED = "article pre, article .table-wrapper";

/* Code and tables that are wider than the page can be reached with the Tab key, and then scrolled with arrow keys. */
function reachWhatScrolls() {
  for (const box of document.querySelectorAll(SCROLLED)) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", box.tagName === "PRE" ? "Code" : "Table");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  }
}

/* The two columns beside the text are told apart. */
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "This page");
reachWhatScrolls();
addEventListener("load", reachWhatScrolls);
addEventListener("resize", reachWhatScrolls);
