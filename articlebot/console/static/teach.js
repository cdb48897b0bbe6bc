"use strict";
// The stored page stands in a frame that runs no script; what is pointed at there is chosen in the list beside it.
const frame = document.getElementById("page");
const list = document.getElementById("element");
const wider = document.getElementById("wider");

function chosen() {
  return frame.contentDocument.querySelector(`[data-n="${CSS.escape(list.value)}"]`);
}

function show(scroll) {
  for (const one of frame.contentDocument.querySelectorAll("[data-chosen]")) one.removeAttribute("data-chosen");
  const element = list.value ? chosen() : null;
  wider.disabled = !(element && element.parentElement.closest("[data-n]"));
  if (!element) return;
  element.setAttribute("data-chosen", "");
  if (scroll) element.scrollIntoView({ block: "center" });
}

function choose(element) {
  if (!element) return;
  const number = element.dataset.n;
  if (![...list.options].some((one) => one.value === number)) {
    list.add(new Option(element.textContent.trim().replace(/\s+/g, " ").slice(0, 80), number));
  }
  list.value = number;
  show(false);
}

function point() {
  const page = frame.contentDocument;
  if (!page || page.body.dataset.ready) return;
  page.body.dataset.ready = "1";
  page.addEventListener("click", (event) => {
    event.preventDefault();
    choose(event.target.closest("[data-n]"));
  });
  show(true);
}

if (frame && list) {
  frame.addEventListener("load", point);
  if (frame.contentDocument && frame.contentDocument.readyState === "complete" && frame.contentDocument.body.children.length) point();
  list.addEventListener("change", () => show(true));
  wider.hidden = false;
  wider.addEventListener("click", () => choose(chosen().parentElement.closest("[data-n]")));
}
