// The page: one run, or two on one clock. Time, what is chosen, and the address that keeps both.
"use strict";

(function () {
  const views = ["", "-2"].flatMap(suffix => {
    const run = JSON.parse(byId(`run${suffix}`).textContent);
    return run ? [{ model: makeModel(run), suffix, chosen: null, layout: "network",
                    asking: null, choice: { subtree: null, packet: null } }] : [];
  });
  const [main] = views, two = views.length > 1;
  const last = Math.max(...views.map(view => view.model.last));
  const state = { time: 0, playing: false, looked: null, own: "" };

  // --- time ---

  function go(time) {
    state.time = Math.max(0, Math.min(last, time));
    for (const view of views) {
      view.network.draw(state.time);
      byId(`name${view.suffix}`).textContent = `${view.model.title()}: ` +
        (state.time >= view.model.last ? `at rest since ${view.model.last}` : "under way");
    }
    byId("time").value = state.time;
    byId("clock").textContent = `${Math.round(state.time * 100) / 100} of ${last}`;
    byId("moment").textContent = `Model time ${byId("clock").textContent}.`;
    moveCursors(state.time);
    if (main.model.run.processes.stays.length || state.time >= last) showText();
    if (!state.playing) writeAddress();
  }

  const moments = [...new Set(views.flatMap(view => view.model.moments))].sort((a, b) => a - b);
  const next = time => moments.find(moment => moment > time + 1e-9) ?? last;
  const previous = time => [...moments].reverse().find(moment => moment < time - 1e-9) ?? 0;

  function play(on) {
    state.playing = on;
    byId("play").textContent = on ? "pause" : "play";
    byId("about").setAttribute("aria-live", on ? "off" : "polite");
    if (!on) return writeAddress();
    if (state.time >= last) go(0);
    let before = performance.now();
    const perSecond = last / Math.max(6, Math.min(30, moments.length * 0.7));
    const tick = now => {
      if (!state.playing) return;
      go(state.time + (now - before) / 1000 * perSecond * Number(byId("speed").value));
      before = now;
      if (state.time >= last) play(false);
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // --- nodes ---

  function showText() {
    for (const view of views) showAbout(view, state.looked ?? view.chosen, state.time);
  }

  /// The same node in both runs.
  function choose(number) {
    if (main.asking) {
      if (number !== null) main.asking.answer(number);
      return showAsking();
    }
    for (const view of views) {
      view.chosen = number !== null && view.model.nodes[number] ? number : null;
      view.network.mark();
    }
    showText();
    writeAddress();
  }

  function look(number) {
    state.looked = main.asking ? null : number;
    showText();
  }

  // --- the mode that asks (ask.js), about the chosen tree or the first one ---

  function showAsking() {
    main.network.mark();
    main.network.draw(0);
    showText();
  }

  function ask(on) {
    const { trees } = main.model.run;
    const tree = trees.find(one => one.index === main.choice.subtree) ?? trees[0];
    play(false);
    for (const view of views) {
      view.chosen = null;
      view.asking = on && tree && !two ? makeAsking(view.model, tree) : null;
    }
    document.body.classList.toggle("asking", Boolean(main.asking));
    byId("ask").setAttribute("aria-pressed", Boolean(main.asking));
    byId("rest").hidden = !main.asking;
    for (const view of views) view.network.build();
    go(0);
    showText();
  }

  // --- what is chosen, and the address ---

  const value = id => byId(id).value === "" ? null : Number(byId(id).value);

  function changed() {
    const choice = { subtree: value("subtree"), packet: value("packet") };
    for (const view of views) {
      view.choice = view === main ? choice : { ...choice, packet: null };
      view.layout = byId("layout").value;
      view.list = view.model.chosen(view.choice);
      view.network.build();
    }
    if (main.asking) ask(true);
    byId("layout").disabled = !views.some(view => view.network.hasLevels());
    go(state.time);
    showText();
  }

  function writeAddress() {
    const words = { time: Math.round(state.time * 1000) / 1000, node: main.chosen,
                    subtree: main.choice.subtree, packet: main.choice.packet,
                    layout: main.layout === "network" ? null : main.layout,
                    ask: main.asking ? 1 : null };
    const hash = Object.entries(words).filter(([, word]) => word !== null)
      .map(([name, word]) => `${name}=${word}`).join("&");
    if (hash === state.own) return;
    state.own = hash;
    try {
      history.replaceState(null, "", `#${hash}`);
    } catch { // a browser that keeps the address of a file as it is
      state.own = "";
    }
  }

  function readAddress() {
    if (location.hash === `#${state.own}`) return;
    const words = new URLSearchParams(location.hash.slice(1));
    for (const id of ["subtree", "packet", "layout"]) {
      byId(id).value = words.get(id) ?? (id === "layout" ? "network" : "");
      if (byId(id).selectedIndex < 0) byId(id).selectedIndex = 0;
    }
    changed();
    ask(words.has("ask"));
    if (main.asking) return;
    go(Number(words.get("time")) || 0);
    choose(words.has("node") && main.model.nodes[Number(words.get("node"))]
      ? Number(words.get("node")) : null);
  }

  function fillChoices() {
    const add = (select, number, text) => {
      addText(byId(select), "option", text).value = number;
    };
    add("subtree", "", "all");
    const subtrees = new Set(views.flatMap(view => [...view.model.hops.map(hop => hop.subtree),
      ...view.model.run.trees.map(tree => tree.index)]));
    for (const subtree of [...subtrees].sort((a, b) => a - b)) add("subtree", subtree, subtree);
    add("packet", "", "all");
    const { run } = main.model;
    run.packets.slice(0, ROWS).forEach((_, packet) => add("packet", packet,
                                                         packetName(run, packet)));
    for (const id of ["subtree", "packet", "layout"]) byId(id).addEventListener("change", changed);
  }

  function listen() {
    byId("time").max = last;
    const stop = act => () => { play(false); act(); };
    const acts = {
      first: stop(() => go(0)), last: stop(() => go(last)),
      back: stop(() => go(previous(state.time))), forward: stop(() => go(next(state.time))),
      play: () => play(!state.playing)
    };
    for (const id in acts) byId(id).addEventListener("click", acts[id]);
    byId("time").addEventListener("input", () => { play(false); go(Number(byId("time").value)); });
    for (const [id, factor] of [["smaller", 2 / 3], ["larger", 3 / 2]])
      byId(id).addEventListener("click", () => {
        for (const view of views) view.network.zoomBy(factor);
      });
    byId("ask").hidden = two || main.model.run.trees.length === 0;
    byId("ask").addEventListener("click", () => ask(!main.asking));
    byId("rest").addEventListener("click", () => { main.asking.rest(); showAsking(); });
    const keys = { ArrowRight: acts.forward, ArrowLeft: acts.back, Home: acts.first,
                   End: acts.last, " ": acts.play };
    document.addEventListener("keydown", event => {
      const act = keys[event.key], own = event.key === " " ? /BUTTON|SELECT/ : /INPUT|SELECT/;
      if (!act || main.asking || own.test(event.target.tagName)) return;
      event.preventDefault();
      act();
    });
    window.addEventListener("hashchange", readAddress);
  }

  function paintAll() {
    const setTime = time => { play(false); go(time); };
    for (const view of views) if (last > 0) spacetime(view, last, setTime);
    for (const section of document.querySelectorAll(".timed")) section.hidden = last === 0;
    for (const section of document.querySelectorAll(".single")) section.hidden ||= two;
    if (two) return;
    const { run, nodes, matrix } = main.model;
    processes(main, setTime);
    pool(main);
    if (last === 0) return;
    gantt(main, setTime);
    utilisation(main, setTime);
    squares("matrix", "Packets from a node to a neighbour", nodes.length, nodes.length, matrix());
    squares("loads", "Packets that leave a node by a port", nodes.length,
            Math.max(1, ...run.loads.map(row => row.length)),
            run.loads.flatMap((row, node) => row.map((count, port) =>
              [node, port, count])).filter(cell => cell[2] > 0));
  }

  function selftest() {
    const result = main.model.selftest();
    result.drawn = 0;
    for (let at = 0; at < last; at = next(at)) {
      go(at);
      result.drawn += main.network.draw(at);
    }
    result.overhang = document.documentElement.scrollWidth - window.innerWidth;
    const boxes = words => [...document.querySelectorAll(words)]
      .map(one => one.getBoundingClientRect()).filter(box => box.width > 0);
    const controls = boxes(".controls :is(button, select, input)");
    result.lowest = Math.min(...controls.map(box => box.height));
    result.node = Math.min(...boxes("#picture .body").map(box => box.width));
    const box = addText(document.body, "pre", JSON.stringify(result));
    box.id = "selftest";
    box.hidden = true;
  }

  document.body.classList.toggle("two", two);
  byId("run-box-2").hidden = byId("spacetime-2").hidden = !two;
  showHead(views);
  showKinds(views);
  showWaits(main);
  showChain(main);
  fillChoices();
  for (const view of views) {
    view.list = view.model.hops;
    view.network = makeNetwork(view, { choose, look });
  }
  byId("layout").disabled = !views.some(view => view.network.hasLevels());
  listen();
  paintAll();
  const testing = location.hash === "#selftest";
  showText();
  if (location.hash.length > 1 && !testing) readAddress();
  else go(main.model.good ? 0 : last);
  if (testing) selftest();
})();
