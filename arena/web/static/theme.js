// The switch between the system's colours, dark and light; without script, the system's choice holds.
(() => {
  "use strict";
  const root = document.documentElement;
  const order = ["auto", "dark", "light"];
  const words = { auto: "Theme: system", dark: "Theme: dark", light: "Theme: light" };
  const read = () => {
    try {
      const kept = localStorage.getItem("theme");
      return order.includes(kept) ? kept : "auto";
    } catch {
      return "auto";
    }
  };
  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  show(read());
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-switch]");
    if (!button) return;
    const label = () => { button.textContent = words[read()]; };
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      const next = order[(order.indexOf(read()) + 1) % order.length];
      try { localStorage.setItem("theme", next); } catch { /* not kept, then */ }
      show(next);
      label();
    });
  });
})();
