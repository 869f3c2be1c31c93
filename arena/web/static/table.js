// A person's table: swaps what has changed, lets cards and dice on the board be clicked, counts the clock down.
(() => {
  "use strict";

  // The form that asks for a match

  for (const select of document.querySelectorAll("[data-seats]")) {
    const show = () => {
      for (const field of select.form.querySelectorAll("[data-opponent]")) {
        const used = Number(field.dataset.opponent) < Number(select.value);
        field.hidden = !used;
        field.querySelector("select").disabled = !used;
      }
    };
    select.addEventListener("change", show);
    show();
  }

  // The table

  const root = document.querySelector("[data-table]");
  if (!root) return;
  const note = document.querySelector("[data-note]");
  const problem = document.querySelector("[data-problem]");
  const source = new EventSource(`${root.dataset.table}/events`);
  let asked = 0;
  let focused = false; // a button that is switched off loses the focus before the page has moved on

  async function refresh() {
    const mine = ++asked;
    try {
      const answer = await fetch(`${root.dataset.table}/board`);
      if (isGone(answer)) return;
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const html = await answer.text();
      if (mine === asked) swap(html);
    } catch (fault) {
      tell(`This page could not be brought up to date: ${fault.message}. Reload it.`);
    }
  }

  // A server that was started anew knows this table no more, but the page's address leads to the one that follows it.
  function isGone(answer) {
    const gone = answer.status === 404 || answer.status === 401;
    if (gone) location.reload();
    return gone;
  }

  function swap(html) {
    const inside = focused || root.contains(document.activeElement);
    focused = false;
    const open = root.querySelector("details")?.open;
    root.innerHTML = html;
    if (open && root.querySelector("details")) root.querySelector("details").open = true;
    note.textContent = root.querySelector("[data-told]").dataset.told;
    problem.hidden = true;
    if (inside) (root.querySelector("[data-choices]") || root.querySelector("[data-board]"))?.focus({ preventScroll: true });
    mark();
  }

  // Marks what can be pointed at; the buttons say the same in words.
  function mark() {
    const stand = root.querySelector("[data-stand]").dataset.stand;
    if (stand === "over" || stand === "gone") source.close();
    document.querySelector("[data-larger]").hidden = !root.querySelector("[data-board]");
    for (const spot of root.querySelectorAll("[data-spot]")) {
      if (pointing(spot).length) spot.classList.add("spot");
    }
  }

  const larger = document.querySelector("[data-larger]");
  larger.addEventListener("click", () => larger.setAttribute("aria-pressed", String(root.classList.toggle("larger"))));

  const pointing = (spot) => [...root.querySelectorAll("[data-points]")].filter((button) => button.dataset.points === spot.dataset.spot);

  root.addEventListener("click", (event) => {
    const spot = event.target.closest("[data-spot]");
    if (!spot) return;
    const buttons = pointing(spot);
    for (const button of root.querySelectorAll("[data-points]")) button.classList.toggle("pointed", buttons.includes(button));
    if (buttons.length === 1) buttons[0].click();
    else if (buttons.length) buttons[0].focus();
  });

  root.addEventListener("submit", async (event) => {
    const form = event.target;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    focused = root.contains(document.activeElement);
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields, redirect: "manual" });
      if (isGone(answer)) return;
      if (answer.type !== "opaqueredirect" && !answer.ok && answer.status !== 409) throw new Error(`the server answered ${answer.status}`);
      await refresh();
    } catch (fault) {
      tell(`Your choice could not be sent: ${fault.message}. Reload the page and choose again.`);
    }
  });

  function tell(words) {
    problem.textContent = words;
    problem.hidden = false;
  }

  setInterval(() => {
    const clock = root.querySelector("[data-left]");
    if (!clock) return;
    const left = Math.max(0, Number(clock.dataset.left) - 1);
    clock.dataset.left = left;
    clock.textContent = `${Math.floor(left / 60)} min ${left % 60} s`;
  }, 1000);

  source.addEventListener("changed", refresh);
  source.addEventListener("open", () => { problem.hidden = true; });
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) tell("The connection is lost; trying again …");
    else refresh().then(() => tell("This page is not kept up to date any more. Reload it."));
  });
  addEventListener("pagehide", () => source.close());
  mark();
})();
