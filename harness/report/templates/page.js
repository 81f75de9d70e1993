"use strict";
/* Sets the content of an element. The page's Content-Security-Policy forbids style attributes, so markup has its
   declarations in data-css, and they are set here. */
function fill(element, markup) {
  element.innerHTML = markup;
  for (const part of element.querySelectorAll("[data-css]")) part.style.cssText = part.dataset.css;
}
/* The button #theme switches between dark and light; the choice is forgotten with the page. */
function themeSwitch() {
  const root = document.documentElement;
  document.getElementById("theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };
}
