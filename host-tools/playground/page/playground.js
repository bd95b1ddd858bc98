// The playground: what is set is run at once, and shown by the page of a run (host-tools/mesh/views/
// page), which is in a frame.
"use strict";

(function () {
  const byId = id => document.getElementById(id);
  const facts = JSON.parse(byId("facts").textContent); // trees, ops, rules, parts, first_rule
  const engine = makeEngine();
  // kept: the run that others are compared with, as its settings and its capture, null until it is
  // made; capture: of the last run; moment: what its page has chosen, and what the next one begins
  // with.
  const state = { settings: null, kept: null, capture: null, own: "", report: null, asking: false,
                  moment: {} };

  function option(select, value, text, title) {
    const element = document.createElement("option");
    element.value = value;
    element.textContent = text;
    if (title) element.title = title;
    byId(select).append(element);
  }

  // --- what is set ---

  const NUMBERS = ["dim", "packets", "root", "seed", "loss"], CHOICES = ["topology", "op", "tree", "ports"];

  function showSettings() {
    const { settings } = state, [least, most] = DIMS[settings.topology];
    byId("tree").replaceChildren();
    for (const [name, topology] of Object.entries(facts.trees))
      if (topology === settings.topology) option("tree", name, name, facts.phrases[name]);
    option("tree", OWN, "your own");
    byId("dim").min = least;
    byId("dim").max = most;
    byId("root").max = nodeCount(settings) - 1;
    for (const id of [...NUMBERS, ...CHOICES]) byId(id).value = settings[id];
    byId("tree").disabled = !WITH_TREE.includes(settings.op);
    byId("loss-word").textContent = `${settings.loss} % of all frames`;
    byId("faults").textContent = [
      settings.kill.length && `killed: node ${settings.kill.join(", ")}`,
      settings.cut.length && `cut: ${settings.cut.join(", ")} (node/port)`].filter(Boolean).join("; ");
    byId("own-section").hidden = byId("own-word").hidden = settings.tree !== OWN;
    byId("command").textContent = wordsOf(settings).join(" ");
    byId("keep").setAttribute("aria-pressed", Boolean(state.kept));
    byId("ask").setAttribute("aria-pressed", state.asking);
    showCode();
  }

  function showCode() {
    const { op, tree, topology } = state.settings, hasTree = WITH_TREE.includes(op);
    const parts = hasTree ? facts.rules[tree] : facts.parts[op]?.[topology];
    byId("code-section").hidden = !parts;
    byId("code-title").textContent = hasTree ? "The rule that ran" : "What each node ran";
    byId("code").replaceChildren();
    for (const part of parts || []) {
      const line = document.createElement("p"), code = document.createElement("pre");
      const note = document.createElement("span");
      line.className = "legend";
      line.textContent = `${part.file}:${part.line}`;
      note.className = "note";
      note.textContent = part.comment && `${part.comment}\n`;
      code.append(note, part.code);
      byId("code").append(line, code);
    }
  }

  /// Another run begins at its own time; the node that is chosen stays.
  function set(changes) {
    const before = state.settings && addressOf(state.settings);
    state.settings = fitted({ ...state.settings, ...changes }, facts.trees);
    if (before !== null && before !== addressOf(state.settings)) delete state.moment.time;
    showSettings();
    return run();
  }

  function writeAddress() {
    state.own = wholeAddress({ ...state, beside: state.kept && state.kept.settings });
    try {
      history.replaceState(null, "", `#${state.own}`);
    } catch { // a browser that keeps the address of a file as it is
      state.own = "";
    }
  }

  /// In a frame of the book (book/book.js) the frame's name takes the place of an address.
  const named = window.name.startsWith("#") ? window.name : "";

  function readAddress() {
    const address = (location.hash || named).slice(1);
    if (address === state.own && state.settings) return undefined;
    const { settings, beside, asking, moment } = wholeOf(address);
    state.asking = asking;
    state.kept = beside && { settings: fitted(beside, facts.trees), capture: null };
    state.settings = null;
    state.moment = moment;
    return set(settings);
  }

  // --- runs ---

  const text = bytes => new TextDecoder().decode(bytes);

  const runWords = settings => [...wordsOf(settings), "--quiet", "--capture", "run.pcapng"];

  /// Makes the run that an address names beside the one that is set. One that is refused is let go.
  async function keep() {
    const { kept } = state, rule = kept.settings.tree === OWN ? byId("rule").value : null;
    const result = await engine.call({ words: runWords(kept.settings), rule, wanted: ["run.pcapng"] });
    if (!result.stopped && state.kept === kept) {
      const capture = result.files["run.pcapng"];
      state.kept = capture ? { ...kept, capture } : null;
    }
    return result;
  }

  /// Runs what is set and shows it. Resolves to what came of it.
  async function run() {
    writeAddress();
    byId("said").textContent = "";
    byId("state").textContent = "running \u2026";
    const begin = performance.now(), rule = state.settings.tree === OWN ? byId("rule").value : null;
    const moment = { ...state.moment };
    const words = [...runWords(state.settings), "--report", "run.html"];
    if (state.kept && !state.kept.capture) {
      const kept = await keep();
      if (kept.stopped) return kept;
    }
    const result = await engine.call({ words, rule, wanted: ["run.pcapng", "run.html"] });
    if (result.stopped) return result;
    state.capture = result.files["run.pcapng"] ?? null;
    showVerdict(result);
    let page = result.files["run.html"];
    if (page && state.kept) {
      const both = await engine.call({
        words: [PROGRAM, "view", "kept.pcapng", "--beside", "run.pcapng", "--format", "html",
                "--output", "both.html"],
        files: { "kept.pcapng": state.kept.capture, "run.pcapng": state.capture }, wanted: ["both.html"] });
      if (both.stopped) return both;
      page = both.files["both.html"] ?? page;
    }
    const ms = Math.round(performance.now() - begin);
    byId("state").textContent = `${nodeCount(state.settings)} nodes, ${ms} ms, ` +
      `${Math.round(result.bytes / 2 ** 20)} MB reserved`;
    // Of itself the page of a run that failed begins at the end.
    if (page) await show(text(page), { time: result.status === 0 ? "0" : "Infinity", ...moment });
    state.report = result;
    return result;
  }

  function showVerdict(result) {
    const failure = result.errors.map(line => line.replace(/^mesh: |; repeat: .*$/g, "")).join("\n");
    const own = state.settings.tree === OWN;
    byId("verdict").textContent = own
      ? failure || "A tree from every root: each node is reached once." : "";
    byId("verdict").className = failure ? "bad" : "";
    byId("said").textContent = own ? "" : failure;
  }

  /// A page with an address of its own: it begins at `moment`, and where it writes its address, which
  /// a frame without a file cannot, this page hears of it. Its command, which has more words than the
  /// one to be taken home, is not shown.
  function addressed(page, moment) {
    const address = addressOfMoment(moment) + (state.asking ? "&ask=1" : "");
    return page.replace("<head>", () => `<head><style>#command { display: none; }</style>
<script>location.hash = "${address}";
history.replaceState = (state, title, address) => parent.playground.hear(address);<\/script>`);
  }

  function hear(address) {
    state.moment = momentOf(address.slice(1));
    writeAddress();
  }

  /// Puts a page of a run into the frame, and listens to clicks in its picture.
  function show(page, moment) {
    return new Promise(done => {
      byId("shown").onload = () => {
        const inner = byId("shown").contentDocument;
        inner.addEventListener("click", useClick, true);
        byId("ask").disabled = inner.getElementById("ask").hidden;
        done();
      };
      byId("shown").srcdoc = addressed(page, moment);
    });
  }

  // --- clicks ---

  const toggled = (list, one) => list.includes(one) ? list.filter(other => other !== one) : [...list, one];

  /// The cable that is nearest to a click, as node/port; null if it is far from all.
  function cableAt(svg, event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null, least = 0.35;
    for (const line of svg.querySelectorAll(".cable")) {
      const title = /port (\d+) of (\d+)/.exec(line.textContent);
      const ends = /^M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)$/.exec(line.getAttribute("d"));
      if (!title || !ends) continue;
      const [ax, ay, bx, by] = ends.slice(1).map(Number), dx = bx - ax, dy = by - ay;
      const part = ((point.x - ax) * dx + (point.y - ay) * dy) / (dx * dx + dy * dy);
      const far = Math.hypot(point.x - ax - part * dx, point.y - ay - part * dy);
      if (part < 0.1 || part > 0.9 || far >= least) continue;
      least = far;
      best = `${title[2]}/${title[1]}`;
    }
    return best;
  }

  function useClick(event) {
    if (event.target.closest("#ask")) {
      state.asking = event.target.getAttribute("aria-pressed") !== "true";
      byId("ask").setAttribute("aria-pressed", state.asking);
      writeAddress();
      return;
    }
    const act = document.querySelector("input[name=click]:checked").value;
    const svg = event.target.closest("#picture"), node = event.target.closest(".node");
    if (act === "look" || !svg) return;
    event.stopPropagation();
    const { settings } = state;
    if (act === "cut") {
      const cable = cableAt(svg, event);
      if (cable) set({ cut: toggled(settings.cut, cable) });
    } else if (node) {
      const number = Number(/\d+/.exec(node.getAttribute("aria-label"))[0]);
      if (act === "root") set({ root: number, kill: settings.kill.filter(one => one !== number) });
      else set({ kill: toggled(settings.kill, number) });
    }
  }

  function listen() {
    for (const id of NUMBERS)
      byId(id).addEventListener("change", () => set({ [id]: Math.round(Number(byId(id).value)) || 0 }));
    for (const id of CHOICES) byId(id).addEventListener("change", () => set({ [id]: byId(id).value }));
    byId("controls").addEventListener("submit", event => { event.preventDefault(); run(); });
    byId("check").addEventListener("click", run);
    byId("reset").addEventListener("click", () => {
      state.kept = null;
      state.asking = false;
      state.moment = {};
      set(DEFAULTS);
    });
    byId("keep").addEventListener("click", () => {
      const { settings, capture } = state;
      state.kept = state.kept || !capture ? null : { settings, capture };
      showSettings();
      run();
    });
    byId("ask").addEventListener("click", () => byId("shown").contentDocument.getElementById("ask").click());
    byId("copy").addEventListener("click", () => navigator.clipboard.writeText(byId("command").textContent));
    window.addEventListener("hashchange", readAddress);
  }

  for (const topology of Object.keys(DIMS)) option("topology", topology, topology);
  for (const [name, phrase] of facts.ops) option("op", name, name, phrase);
  for (const ports of PORTS) option("ports", ports, ports);
  byId("rule").value = facts.first_rule;
  listen();
  const ready = readAddress();
  window.playground = { set, run, state, ready, byId, hear }; // for tests of the page
})();
