// The replay viewer: gets all frames of a match in the background and shows them; a step asks the server nothing.
(() => {
  "use strict";

  const PLY_MS = 800;

  class Viewer {
    // root: the article. fetchFrames(looks, ply): the answer with the frames, as lines of JSON. address: whether the
    // page's address names the position.
    constructor(root, fetchFrames, { address, onLooks }) {
      this.root = root;
      this.fetchFrames = fetchFrames;
      this.address = address;
      this.onLooks = onLooks;
      this.plies = Number(root.dataset.plies);
      this.ply = Number(root.dataset.ply);
      this.looks = root.dataset.looks;
      this.course = root.dataset.course;
      this.pieces = [];
      this.frames = new Map();
      this.rows = new Map();
      this.timer = 0;
      this.wanted = this.ply;
      this.stopping = new AbortController();
      this.seats = [...root.querySelectorAll("[data-seat]")];
      this.listen();
      this.showPlace();
      this.markActor();
      this.part("controls").hidden = false;
    }

    part(name) { return this.root.querySelector(`[data-${name}]`); }

    listen() {
      const signal = this.stopping.signal;
      this.root.addEventListener("click", (event) => this.onClick(event), { signal });
      this.part("slider").addEventListener("input", (event) => { this.pause(); this.go(Number(event.target.value)); }, { signal });
      document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    }

    close() {
      this.pause();
      this.stopping.abort();
    }

    // What people do

    onClick(event) {
      const target = event.target.closest("[data-go], [data-play], [data-larger], [data-copy], [data-look], [data-story] li");
      if (!target) return;
      if (target.dataset.go) {
        this.pause();
        this.jump(target.dataset.go);
      } else if ("play" in target.dataset) {
        this.toggle();
      } else if ("larger" in target.dataset) {
        const larger = this.root.classList.toggle("larger");
        target.setAttribute("aria-pressed", String(larger));
      } else if ("copy" in target.dataset) {
        this.copy(target);
      } else if (target.dataset.look) {
        if (this.onLooks) {
          event.preventDefault();
          this.onLooks(target.dataset.look, this.ply);
        } else {
          target.href = `${this.root.dataset.own}?as=${target.dataset.look}&ply=${this.ply}`;
        }
      } else {
        this.pause();
        this.go(Number(target.dataset.ply));
      }
    }

    onKey(event) {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
      const at = event.target instanceof Element ? event.target : document.body;
      if (at.closest("input, select, textarea, [contenteditable]")) return;
      if (event.key === " ") {
        if (at.closest("button, a, summary")) return;
        this.toggle();
      } else {
        const move = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
        if (!move) return;
        this.pause();
        this.jump(move);
      }
      event.preventDefault();
    }

    jump(where) {
      if (where === "first") this.go(0);
      else if (where === "back") this.go(this.wanted - 1); // which may still be loading
      else if (where === "on") this.go(this.wanted + 1);
      else if (where === "last") this.go(this.plies);
      else this.nextDecision();
    }

    nextDecision() {
      const seat = this.part("decider").value;
      const next = this.course.indexOf(seat, this.wanted + 1);
      if (next >= 0) this.go(next);
      else this.tell([`seat ${seat} decides nothing later`]);
    }

    toggle() {
      if (this.timer) this.pause();
      else this.play();
    }

    play() {
      if (this.ply >= this.plies) this.go(0);
      this.markPlaying(true);
      this.tick();
    }

    tick() {
      this.timer = setTimeout(() => {
        if (this.ply >= this.plies) { this.pause(); return; }
        if (this.frames.has(this.ply + 1)) this.go(this.ply + 1);
        this.tick();
      }, PLY_MS / Number(this.part("speed").value));
    }

    pause() {
      if (!this.timer) return;
      clearTimeout(this.timer);
      this.timer = 0;
      this.markPlaying(false);
      this.nameAddress();
    }

    markPlaying(playing) {
      const button = this.part("play");
      button.setAttribute("aria-label", playing ? "Pause" : "Play");
      for (const icon of button.children) icon.hidden = (icon.dataset.playing === "yes") !== playing;
      this.part("now").setAttribute("aria-live", playing ? "off" : "polite");
    }

    async copy(button) {
      const text = this.part("seed").textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(this.part("seed"));
        button.textContent = "Selected: copy it";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    }

    // Positions

    go(ply) {
      this.wanted = Math.max(0, Math.min(this.plies, ply));
      if (this.frames.has(this.wanted)) this.show(this.wanted);
      else this.tell(["loading …"]);
    }

    show(ply) {
      const [, indices, happened, banks] = this.frames.get(ply);
      this.ply = ply;
      this.part("board").innerHTML = indices.map((index) => this.pieces[index]).join("\n");
      this.showPlace();
      this.markActor();
      this.showSeats(happened, banks);
      this.tellHappened(happened);
      this.markRow();
      if (!this.timer) this.nameAddress();
    }

    showPlace() {
      this.part("slider").value = this.ply;
      this.part("slider").setAttribute("aria-valuetext", `ply ${this.ply} of ${this.plies}`);
      this.part("place").textContent = `${this.ply} / ${this.plies}`;
      for (const name of ["first", "back"]) this.root.querySelector(`[data-go=${name}]`).disabled = this.ply === 0;
      for (const name of ["on", "last"]) this.root.querySelector(`[data-go=${name}]`).disabled = this.ply === this.plies;
    }

    markActor() {
      const actor = this.course[this.ply];
      for (const card of this.seats) {
        const acting = card.dataset.seat === actor;
        card.classList.toggle("acting", acting);
        card.querySelector("[data-to-move]").hidden = !acting;
      }
    }

    showSeats(happened, banks) {
      const asked = happened.find((one) => one.t);
      for (const card of this.seats) {
        const seat = Number(card.dataset.seat);
        const clock = card.querySelector("[data-clock]");
        if (banks.length) clock.textContent = seconds(banks[seat]);
        const mine = asked && (asked.a === seat || (asked.e || []).some(([out]) => out === seat));
        card.querySelector("[data-thought]").textContent = mine ? thought(asked.t) : "";
      }
    }

    tellHappened(happened) {
      const lines = happened.flatMap(words);
      this.tell(lines.length ? lines : [this.ply ? "nothing that can be seen" : "before the first ply"]);
    }

    tell(lines) {
      this.part("now").replaceChildren(...lines.map((line) => element("p", line)));
    }

    nameAddress() {
      if (!this.address) return;
      const url = new URL(location.href);
      url.searchParams.set("ply", this.ply);
      url.searchParams.set("as", this.looks);
      try { history.replaceState(null, "", url); } catch { /* too many steps in a moment: the next one names it */ }
    }

    // Frames

    async load() {
      try {
        const answer = await this.fetchFrames(this.looks, this.ply, this.stopping.signal);
        if (!answer.ok) throw new Error(await refusal(answer));
        await eachLine(answer, (line) => this.take(line));
      } catch (fault) {
        if (fault.name === "AbortError") return;
        const problem = this.part("problem");
        problem.textContent = `The positions could not be loaded: ${fault.message}. Reload the page to try again.`;
        problem.hidden = false;
      }
    }

    take(line) {
      if (!line.frames) return;
      this.pieces.push(...line.pieces);
      for (const frame of line.frames) this.frames.set(frame[0], frame);
      this.addRows(line.frames);
      if (this.frames.has(this.wanted) && (this.wanted !== this.ply || !this.usable)) this.show(this.wanted);
      if (!this.usable && this.frames.has(this.ply)) {
        this.usable = true;
        this.root.dataset.usable = "";
        performance.mark("replay-usable");
      }
      this.markRow(); // rows that came before it have moved it
      if (this.frames.size > this.plies) this.root.dataset.whole = "";
    }

    addRows(frames) {
      const list = this.part("story");
      const after = [...list.children].find((row) => Number(row.dataset.ply) > frames[0][0]) || null;
      const batch = document.createDocumentFragment();
      for (const [ply, , happened] of frames) {
        if (!happened.length) continue;
        const row = element("li", "");
        row.dataset.ply = ply;
        row.append(element("span", String(ply), "number"), this.rowWords(happened), element("span", took(happened), "took"));
        this.rows.set(ply, row);
        batch.append(row);
      }
      list.insertBefore(batch, after);
    }

    rowWords(happened) {
      const cell = element("span", happened.flatMap(words).join("; ") || "–");
      if (happened.every((one) => one.a === "c")) cell.className = "chance";
      return cell;
    }

    markRow() {
      const list = this.part("story");
      list.querySelector("[aria-current]")?.removeAttribute("aria-current");
      const row = this.rows.get(this.ply);
      if (!row) return;
      row.setAttribute("aria-current", "step");
      const top = row.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    }
  }

  function words(one) {
    const made = { forced: " (the only choice)", default: " (played for a seat that is out)" }[one.m] || "";
    const told = one.w.map((line, number) => (number ? line : line + made));
    return [...told, ...(one.e || []).map(([seat, end]) => `seat ${seat} forfeits: ${end.replaceAll("_", " ").toLowerCase()}`)];
  }

  const thought = ([think, charged]) => `thought ${span(think)}, charged ${span(charged)}`;
  const took = (happened) => happened.filter((one) => one.t).map((one) => span(one.t[0])).join(" ");
  const span = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
  const seconds = (ms) => (ms < 600000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min`);

  function element(name, text, kind) {
    const made = document.createElement(name);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  async function refusal(answer) {
    try { return (await answer.json()).error.message; } catch { return `the server answered ${answer.status}`; }
  }

  async function eachLine(answer, take) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) take(JSON.parse(line));
    }
  }

  // A match of the arena

  function openStored(root) {
    const viewer = new Viewer(
      root,
      (looks, ply, signal) => fetch(`${root.dataset.source}?as=${looks}&ply=${ply}`, { signal }),
      { address: true },
    );
    viewer.load();
    return viewer;
  }

  // A file of one's own: dropped on any page with a viewer, or chosen

  // place: what is filled with the viewer. zone: what shows that a file may be dropped. told: where a refusal is told.
  function openFiles({ place, zone, told, first }) {
    let viewer = first;

    async function open(file, looks, ply) {
      told.hidden = true;
      try {
        const answer = await fetch(`/replay/frames.json?as=${looks}&ply=${ply}`, {
          method: "POST", body: file, headers: { "content-type": "application/octet-stream" },
        });
        if (!answer.ok) throw new Error(await refusal(answer));
        await eachLine(answer, (line) => (line.html ? begin(file, line.html) : viewer.take(line)));
      } catch (fault) {
        told.textContent = fault.message;
        told.hidden = false;
      }
    }

    function begin(file, html) {
      if (viewer) viewer.close();
      place.innerHTML = html;
      zone.classList.add("done");
      viewer = new Viewer(place.querySelector("[data-viewer]"), null, {
        address: false,
        onLooks: (looks, ply) => open(file, looks, ply),
      });
    }

    addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("over"); });
    addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      if (event.dataTransfer.files.length) open(event.dataTransfer.files[0], "all", 0);
    });
    return open;
  }

  const drop = document.querySelector("[data-drop]");
  const stored = document.querySelector("[data-viewer][data-source]");
  if (drop) {
    const open = openFiles({
      place: drop.querySelector("[data-drop-place]"),
      zone: drop.querySelector("[data-drop-zone]"),
      told: drop.querySelector("[data-drop-problem]"),
      first: null,
    });
    drop.querySelector("[data-file]").addEventListener("change", (event) => {
      if (event.target.files.length) open(event.target.files[0], "all", 0);
    });
  } else if (stored) {
    const place = document.createElement("div");
    const told = element("p", "", "problem");
    told.setAttribute("role", "alert");
    told.hidden = true;
    stored.before(told, place);
    place.append(stored);
    openFiles({ place, zone: place, told, first: openStored(stored) });
  }
})();
