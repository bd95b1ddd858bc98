// Uses the playground as a student would, and posts what it saw to check_page.py, as JSON.
"use strict";

(async () => {
  const { set, run, state, ready, byId } = window.playground, seen = {}, begun = performance.now();
  const inner = () => byId("shown").contentDocument;
  const verdict = () => inner().getElementById("verdict").textContent;
  const click = (element, more) => element.dispatchEvent(new MouseEvent("click",
    { bubbles: true, view: window, ...more }));
  const mode = act => { document.querySelector(`input[value=${act}]`).checked = true; };
  /// The run that an act begins.
  const after = async act => {
    const before = state.report;
    act();
    while (state.report === before) await new Promise(done => setTimeout(done, 20));
  };
  const look = () => ({ verdict: verdict(), said: byId("said").textContent, edges:
    inner().querySelectorAll("#picture .edge").length, command: byId("command").textContent,
    hash: location.hash });
  try {
    await ready;
    seen.first = look();
    seen.code = byId("code").textContent;
    seen.trees = [...byId("tree").options].map(option => option.value);

    mode("root");
    await after(() => click(inner().querySelectorAll("#picture .node")[5]));
    seen.root = look();
    mode("kill");
    await after(() => click(inner().querySelectorAll("#picture .node")[7]));
    seen.killed = look();
    await after(() => click(inner().querySelectorAll("#picture .node")[7]));
    mode("cut");
    const svg = inner().getElementById("picture"), line = svg.querySelector(".cable");
    const middle = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(svg.getScreenCTM());
    await after(() => click(svg, { clientX: middle.x, clientY: middle.y }));
    seen.cut = look();
    await after(() => set({ cut: [], loss: 20, seed: 7 }));
    seen.loss = look();

    mode("look");
    await after(() => set({ loss: 0, seed: 1, tree: "sbt", root: 0, packets: 20 }));
    byId("keep").click();
    await after(() => set({ tree: "msbt" }));
    seen.two = { names: [...inner().querySelectorAll("h3")].map(name => name.textContent), ...look() };
    await after(() => byId("reset").click());
    await after(() => { location.hash = seen.two.hash; });
    seen.linked = { names: [...inner().querySelectorAll("h3")].map(name => name.textContent), ...look() };
    await after(() => byId("reset").click());

    const moment = () => ({ clock: inner().getElementById("clock").textContent,
      about: inner().getElementById("about").textContent, ...look() });
    for (const id of ["forward", "forward", "forward"]) inner().getElementById(id).click();
    click(inner().querySelectorAll("#picture .node")[5]);
    seen.moment = moment();
    await after(() => set({ packets: 9 }));
    seen.next = moment();
    await after(() => { location.hash = seen.moment.hash; });
    seen.again = moment();
    await after(() => byId("reset").click());
    seen.anew = moment();

    byId("ask").click();
    const nodes = inner().querySelectorAll("#picture .node");
    click(nodes[3]);
    click(nodes[1]);
    seen.asking = { about: inner().getElementById("about").textContent, ...look() };
    byId("ask").click();

    await after(() => set({ tree: "own" }));
    seen.own = { ...look(), verdict: byId("verdict").textContent, page: verdict() };
    byId("rule").value = byId("rule").value.replace("bit = 0", "bit = 1");
    await after(() => byId("check").click());
    seen.wrong = byId("verdict").textContent;

    await after(() => set({ topology: "star", dim: 4, tree: "edt" }));
    seen.star = look();
    await after(() => set({ topology: "cube", dim: 6, op: "sort" }));
    seen.sort = look();
    seen.parts = {};
    for (const op of [...byId("op").options].map(option => option.value)) {
      await after(() => set({ dim: 3, op, tree: "sbt" }));
      seen.parts[op] = byId("code-section").hidden ? "" : byId("code").textContent;
    }
    seen.state = byId("state").textContent;
    seen.overhang = document.documentElement.scrollWidth - window.innerWidth;
    seen.wide = window.innerWidth;
    seen.picture_first = byId("shown").getBoundingClientRect().bottom <=
      byId("controls").getBoundingClientRect().top;
  } catch (error) {
    seen.error = String(error.stack || error);
  }
  seen.seconds = (performance.now() - begun) / 1000;
  fetch("@ANSWER@", { method: "POST", mode: "no-cors", body: JSON.stringify(seen) });
})();
