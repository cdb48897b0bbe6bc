"use strict";
// Times are sent in UTC and shown in the reader's zone.
function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.getAttribute("datetime"));
    if (Number.isNaN(at.valueOf())) continue;
    const lang = document.documentElement.lang === "zh" ? "zh-CN" : "en-GB";
    const told = element.getAttribute("datetime");
    const timeStyle = element.hasAttribute("data-seconds") ? "medium" : "short";
    element.title = told;
    // A day without a time of day is the same everywhere.
    const style = told.length > 10 ? { dateStyle: "medium", timeStyle } : { dateStyle: "medium", timeZone: "UTC" };
    element.textContent = at.toLocaleString(lang, style);
  }
}
localise(document);

// On a phone the rows of a table stand one below the other, and each figure has the name of its column.
function name(root) {
  for (const table of root.querySelectorAll(".scroll > table:not(.dense)")) {
    const names = [...table.querySelectorAll("thead th")].map((head) => head.textContent.replace(/^./u, (first) => first.toUpperCase()));
    table.classList.add("cards");
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, i) => { cell.dataset.name = names[i]; });
    }
  }
}
name(document);

// On a phone the results come before what they could be narrowed to.
const narrowing = document.querySelector(".narrowing");
if (narrowing && matchMedia("(max-width: 44rem)").matches) narrowing.open = false;

// A chosen file is sent as the text of a field.
for (const chosen of document.querySelectorAll("input[data-into]")) {
  chosen.addEventListener("change", async () => {
    if (chosen.files.length) document.getElementById(chosen.dataset.into).value = await chosen.files[0].text();
  });
}

// The same page is read again and again; its parts that live are replaced where they have changed.
const live = document.getElementById("live");
if (live) {
  const pause = document.getElementById("pause");
  let paused = false;
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
  });
  const refresh = async () => {
    if (paused || document.hidden) return;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      localise(fresh);
      name(fresh);
      for (const part of document.querySelectorAll("[data-live]")) {
        const other = fresh.getElementById(part.id);
        const used = part !== document.activeElement && part.contains(document.activeElement);
        if (other && !used && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes);
      }
      live.classList.remove("stale");
    } catch {
      live.classList.add("stale");
    }
  };
  setInterval(refresh, 1000 * Number(live.dataset.every));
}

// Keys of feed readers: / to the words, j and k through what was found, o opens it, v its page at its site.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const links = [...document.querySelectorAll(".results h2 a")];
  const at = links.indexOf(document.activeElement);
  const words = document.querySelector("input[type=search]");
  if (event.key === "/" && words) words.select();
  else if (event.key === "j" && links.length) links[Math.min(at + 1, links.length - 1)].focus();
  else if (event.key === "k" && links.length) links[Math.max(at - 1, 0)].focus();
  else if (event.key === "o" && at >= 0) links[at].click();
  else if (event.key === "v" && at >= 0 && links[at].closest("li").dataset.url) {
    window.open(links[at].closest("li").dataset.url, "_blank", "noopener,noreferrer");
  } else return;
  event.preventDefault();
});
