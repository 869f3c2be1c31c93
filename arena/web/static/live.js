// A running match: positions come as server-sent events; the browser reconnects by itself and says what it had last.
(() => {
  "use strict";
  const root = document.querySelector("[data-live]");
  if (!root) return;

  const MOST_LINES = 500;
  const SPOKEN_MS = 2000;
  const part = (name) => root.querySelector(`[data-${name}]`);
  const seats = [...root.querySelectorAll("[data-seat]")];
  const source = new EventSource(root.dataset.live);
  let spoken = -SPOKEN_MS;
  let unspoken = [];
  let speaking = null;

  const larger = part("larger");
  if (larger) {
    larger.hidden = false;
    larger.addEventListener("click", () => larger.setAttribute("aria-pressed", String(root.classList.toggle("larger"))));
  }

  const span = (ms) => (ms < 600000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min`);

  function paragraph(text) {
    const made = document.createElement("p");
    made.textContent = text;
    return made;
  }

  function show(now) {
    part("status").textContent = "Being played";
    for (const card of seats) {
      const seat = Number(card.dataset.seat);
      card.classList.toggle("acting", seat === now.seat);
      card.querySelector("[data-to-move]").hidden = seat !== now.seat;
      const clock = card.querySelector("[data-clock]");
      clock.hidden = !now.banks.length;
      if (now.banks.length) clock.textContent = span(now.banks[seat]);
    }
    if (!part("board")) return;
    part("place").textContent = `ply ${now.ply}`;
    if (now.picture) part("board").innerHTML = now.picture;
    if (now.words && now.words.length) tell(now);
  }

  function tell(now) {
    const list = part("story");
    const low = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    for (const line of now.words) {
      const row = document.createElement("li");
      const number = document.createElement("span");
      number.className = "number";
      number.textContent = now.ply;
      const words = document.createElement("span");
      words.textContent = line;
      row.append(number, words);
      list.append(row);
    }
    while (list.children.length > MOST_LINES) list.firstElementChild.remove();
    if (low) list.scrollTop = list.scrollHeight;
    unspoken = now.words;
    // A screen reader could not keep up with each: those in between are left out, the newest is always said in the end.
    if (speaking === null) speaking = setTimeout(speak, Math.max(0, spoken + SPOKEN_MS - performance.now()));
  }

  function speak() {
    speaking = null;
    spoken = performance.now();
    part("now").replaceChildren(...unspoken.map(paragraph));
  }

  source.addEventListener("position", (event) => show(JSON.parse(event.data)));
  source.addEventListener("over", (event) => {
    source.close();
    const open = JSON.parse(event.data).replay;
    const link = document.createElement("a");
    link.href = root.dataset.after + (open ? "/replay" : "");
    link.textContent = open ? "Watch the replay" : "To the match";
    part("status").replaceChildren("The match is over. ", link);
    for (const card of seats) {
      card.classList.remove("acting");
      card.querySelector("[data-to-move]").hidden = true;
    }
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) part("status").textContent = "The connection was refused; reload the page to try again.";
    else part("status").textContent = "The connection is lost; trying again …";
  });
  source.addEventListener("open", () => { part("status").textContent = "Following"; });
  addEventListener("pagehide", () => source.close());
})();
