"use strict";
// Times are sent in UTC and shown in the reader's zone.
function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.getAttribute("datetime"));
    if (Number.isNaN(at.valueOf())) continue;
    const lang = document.documentElement.lang === "zh" ? "zh-CN" : "en-GB";
    const timeStyle = element.hasAttribute("data-seconds") ? "medium" : "short";
    element.title = element.getAttribute("datetime");
    element.textContent = at.toLocaleString(lang, { dateStyle: "medium", timeStyle });
  }
}
localise(document);

// Where a plot is wider than the screen, its newest end is seen first.
for (const plot of document.querySelectorAll(".scroll > .plot:not(.heat)")) {
  plot.parentElement.scrollLeft = plot.parentElement.scrollWidth;
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
