"use strict";
// Times are sent in UTC and shown in the reader's zone.
function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    const lang = document.documentElement.lang === "zh" ? "zh-CN" : "en-GB";
    element.title = element.dateTime;
    element.textContent = at.toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" });
  }
}
localise(document);

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
      const answer = await fetch(live.dataset.source, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const state = await answer.json();
      for (const [name, value] of Object.entries(state.figures)) {
        const element = document.getElementById("figure-" + name);
        if (element && element.textContent !== value) element.textContent = value;
      }
      for (const [name, plot] of Object.entries(state.plots)) {
        const element = document.getElementById("plot-" + name);
        if (element) element.innerHTML = plot;
      }
      document.getElementById("at").textContent = new Date(state.at * 1000).toLocaleTimeString();
      live.classList.remove("stale");
    } catch {
      live.classList.add("stale");
    }
  };
  setInterval(refresh, 5000);
}
