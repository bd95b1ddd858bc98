// The network of one run: nodes and cables, the tree with its arrows, packets on their way, and who
// waits for whom.
"use strict";

const RADIUS = 0.21; // of a node
const SIDES = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const LABEL_WIDE = 0.48; // of an address in a node: its figures times their size
const NAMED = 64; // nodes, at most, that have their addresses however small they are
const LEGIBLE = 7; // pixels of a figure of an address, at least
const READABLE = 80, LARGE = 240; // pixels between neighbours: for fingers, and at most
const ZOOM_FIRST = 6; // at most, before anybody asks for more
const NARROW = window.matchMedia("(max-width: 45rem)"); // as in page.css

/// `view`: { model, suffix, choice, list, layout, chosen }. `acts`: { choose(node), look(node) }, the
/// second with null when the pointer leaves.
function makeNetwork(view, acts) {
  const { model } = view, { run, nodes, last } = model;
  const picture = byId(`picture${view.suffix}`);
  const frame = picture.parentElement;
  const labelSize = Math.min(0.11, LABEL_WIDE / nodes[0].label.length); // which fits into a node
  let shown = null, place = null, zoom = 1;

  /// The tree that is drawn: the only one, or the one that is chosen.
  const theTree = () => run.trees.length === 1 ? run.trees[0] :
    run.trees.find(tree => tree.index === view.choice.subtree);

  /// The place of a packet between the rims of two nodes. It keeps to the right, so that two that
  /// cross one link in both directions are both seen. One that is lost turns back half way.
  function along(hop, part) {
    const a = place[hop.from], b = place[hop.to], aside = run.directed ? 0 : 0.08;
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy);
    const gone = hop.came ? part : Math.min(part, 1 - part);
    const way = RADIUS + 0.1 + (length - 2 * RADIUS - 0.2) * gone;
    return [a.x + (dx * way - dy * aside) / length, a.y + (dy * way + dx * aside) / length];
  }

  /// A line with a head, from rim to rim; bent aside by `bend`.
  function arrow(from, to, attributes, parent, bend = 0) {
    const a = place[from], b = place[to], group = make("g", attributes, parent);
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const mid = [(a.x + b.x) / 2 - (b.y - a.y) / length * bend,
                 (a.y + b.y) / 2 + (b.x - a.x) / length * bend];
    const toward = (node, far) => { // a point on the way from a node to the middle
      const dx = mid[0] - node.x, dy = mid[1] - node.y, way = Math.hypot(dx, dy) || 1;
      return [node.x + dx / way * far, node.y + dy / way * far];
    };
    const end = toward(b, RADIUS + 0.05);
    make("path", { d: `M${toward(a, RADIUS)}Q${mid} ${toward(b, RADIUS + 0.15)}`, fill: "none" },
         group);
    const turn = Math.atan2(end[1] - mid[1], end[0] - mid[0]) * 180 / Math.PI;
    make("path", { class: "head", d: "M-.13 -.075L0 0L-.13 .075z",
                   transform: `translate(${end}) rotate(${turn})` }, group);
    return group;
  }

  function drawCables() {
    for (const [from, port, to] of run.links) {
      const a = place[from], b = place[to], mid = [(a.x + b.x) / 2, (a.y + b.y) / 2];
      const line = make("path", { class: "cable", "stroke-width": 0.035,
        d: `M${a.x} ${a.y}L${b.x} ${b.y}` }, picture);
      if (model.dead.has(`${from}:${port}`) || (!run.directed && model.dead.has(`${to}:${port}`))) {
        line.classList.add("dead");
        make("path", { class: "cable dead", "stroke-width": 0.05, d: `M${mid[0] - 0.1} ${mid[1] -
          0.1}l.2 .2m0 -.2l-.2 .2`, style: "stroke-dasharray:none" }, picture);
      }
      if (run.directed) {
        const length = Math.hypot(b.x - a.x, b.y - a.y), back = (RADIUS + 0.12) / length;
        const tip = [b.x + (a.x - b.x) * back, b.y + (a.y - b.y) * back];
        const turn = Math.atan2(b.y - a.y, b.x - a.x) * 180 / Math.PI;
        make("path", { class: "tip", d: "M-.09 -.07L.09 0L-.09 .07z",
          transform: `translate(${tip}) rotate(${turn})` }, picture);
      }
      make("title", {}, line).textContent = `port ${port} of ${from} and ${to}`;
      shown.links.push({ from, to, line });
    }
  }

  /// The edges of the tree; with several trees and none of them chosen, those of the chosen node;
  /// while it asks, those that were found.
  function drawEdges() {
    const tree = theTree();
    shown.edges.replaceChildren();
    const { asking } = view;
    const wanted = asking ? [asking.tree] : tree ? [tree] : view.chosen === null ? [] : run.trees;
    for (const one of wanted)
      one.children.forEach((below, from) => {
        for (const to of below) {
          if (asking ? !asking.found.has(`${from}:${to}`)
            : !tree && from !== view.chosen && to !== view.chosen) continue;
          const kind = model.severalTrees ? one.index : model.portBetween(from, to) ?? 0;
          const mine = from === view.chosen || to === view.chosen;
          const edge = arrow(from, to, { class: `edge kind${kind % KINDS}${mine ? " mine" : ""}` },
                             shown.edges);
          if (dashes(kind).length)
            edge.firstChild.setAttribute("stroke-dasharray",
                                         dashes(kind).map(part => part * 0.02));
        }
      });
    shown.edges.classList.toggle("some", Boolean(tree) && view.chosen !== null && !asking);
  }

  function drawNode(node) {
    const number = node.number, group = make("g", { class: "node", role: "button",
      tabindex: number === (view.chosen || 0) ? 0 : -1, "aria-pressed": number === view.chosen,
      "aria-label": `node ${number}${model.fate(number)}`,
      transform: `translate(${place[number].x} ${place[number].y})` }, picture);
    if (number === model.root)
      make("circle", { r: 0.27, class: "ring", fill: "none", "stroke-width": 0.03 }, group);
    make("circle", { r: RADIUS, class: "body", "stroke-width": 0.04 }, group);
    const clip = make("clipPath", { id: `c${view.suffix}${number}` }, group);
    const level = make("rect", { x: -0.21, y: 0.21, width: 0.42, height: 0.42 }, clip);
    make("circle", { r: 0.19, class: "level", "clip-path": `url(#c${view.suffix}${number})` },
         group);
    if (model.failed.has(number)) {
      group.classList.add("failed");
      const cross = "M-.3 -.3l.17 .17M.3 -.3l-.17 .17M-.3 .3l.17 -.17M.3 .3l-.17 -.17";
      make("path", { class: "cross", d: cross }, group);
    }
    make("text", { class: "number", "font-size": number > 999 ? 0.13 : 0.2, y: -0.055 }, group)
      .textContent = number;
    make("text", { class: "label", "font-size": labelSize, y: 0.09 }, group)
      .textContent = node.label;
    make("title", {}, group).textContent = `node ${number}: ${node.label}${model.fate(number)}`;
    if (model.dead_nodes.has(number)) group.classList.add("dead");
    group.addEventListener("click", () => acts.choose(number));
    group.addEventListener("mouseenter", () => look(number));
    group.addEventListener("mouseleave", () => look(null));
    group.addEventListener("keydown", event => useKey(event, node));
    group.addEventListener("focus", () => {
      shown.nodes.forEach(other =>
        other.group.setAttribute("tabindex", other.group === group ? 0 : -1));
      look(number);
    });
    group.addEventListener("blur", () => look(null));
    shown.nodes.push({ group, level });
  }

  /// Says what stands on a node; where that is too small, beside it, towards the middle.
  function look(number) {
    shown.tag?.replaceChildren(); // none while the picture is drawn anew
    if (number !== null && picture.classList.contains("far")) {
      const { x, y } = place[number], { left, top, wide, high } = shown.box;
      const right = x > left + wide / 2, low = y > top + high / 2, pixel = 1 / unit() / zoom;
      make("text", { "font-size": 14 * pixel, x: x + (right ? RADIUS : -RADIUS),
                     y: y + (low ? -1 : 1) * (RADIUS + 12 * pixel), "stroke-width": 4 * pixel,
                     "text-anchor": right ? "end" : "start" }, shown.tag)
        .textContent = `${number}: ${nodes[number].label}`;
    }
    acts.look(number);
  }

  /// Arrows go to the node on that side, figures across that port, Enter chooses.
  function useKey(event, node) {
    const [dx, dy] = SIDES[event.key] || [0, 0];
    const across = /^\d$/.test(event.key) ? model.neighbor(node.number, Number(event.key)) : null;
    if (dx || dy) beside(node, dx, dy).group.focus();
    else if (across !== null) {
      shown.nodes[across].group.focus();
      acts.choose(across);
    } else if (event.key === "Enter" || event.key === " ") acts.choose(node.number);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /// The nearest node on a side of another; itself, if there is none.
  function beside(node, dx, dy) {
    let best = node.number, least = Infinity;
    place.forEach(({ x, y }, number) => {
      const ahead = (x - place[node.number].x) * dx + (y - place[node.number].y) * dy;
      const aside = Math.abs((x - place[node.number].x) * dy - (y - place[node.number].y) * dx);
      if (ahead < 0.1 || ahead + 3 * aside >= least) return;
      least = ahead + 3 * aside;
      best = number;
    });
    return shown.nodes[best];
  }

  /// Draws all anew: another layout, another tree.
  function build() {
    const tree = theTree();
    const levels = view.layout === "levels" && Boolean(tree) && !view.asking;
    place = levels ? tree.places.map(([x, y]) => ({ x, y })) : nodes;
    shown = { nodes: [], links: [], edges: null, packets: null, box: null };
    picture.replaceChildren();
    const xs = place.map(at => at.x), ys = place.map(at => at.y);
    const left = Math.min(...xs) - 0.7, top = Math.min(...ys) - 0.7;
    const wide = Math.max(...xs) - left + 0.7, high = Math.max(...ys) - top + 0.7;
    shown.box = { left, top, wide, high };
    const box = `${left} ${top} ${wide} ${high}`, another = box !== picture.getAttribute("viewBox");
    picture.setAttribute("viewBox", box);
    picture.style.aspectRatio = `${wide} / ${high}`;
    picture.classList.toggle("levels", levels);
    drawCables();
    shown.edges = make("g", { class: "edges" }, picture);
    for (const node of nodes) drawNode(node);
    shown.waits = make("g", { class: "waits" }, picture);
    for (const wait of model.waits_between)
      make("title", {}, arrow(wait.node, wait.to, { class: "wait" }, shown.waits, 0.18))
        .textContent = wait.words;
    shown.packets = make("g", {}, picture);
    shown.tag = make("g", { class: "tag" }, picture);
    drawEdges();
    mark();
    if (another) fit();
  }

  /// Pixels of a unit of the picture when all of it is seen.
  const unit = () => (picture.getScreenCTM?.()?.a ?? READABLE) / zoom;

  /// All of the picture at once; on a narrow screen large enough for fingers, the root in the
  /// middle.
  function fit() {
    zoomBy(1 / zoom);
    if (!NARROW.matches) return;
    zoomBy(Math.min(ZOOM_FIRST, READABLE / unit()));
    const root = shown.nodes[model.root ?? 0].group.getBoundingClientRect();
    const seen = frame.getBoundingClientRect();
    frame.scrollLeft += root.left + root.width / 2 - seen.left - seen.width / 2;
    frame.scrollTop += root.top + root.height / 2 - seen.top - seen.height / 2;
  }

  function measure() {
    picture.classList.toggle("far", nodes.length > NAMED && labelSize * unit() * zoom < LEGIBLE);
  }
  window.addEventListener("resize", measure);

  /// What is in the middle stays there.
  function zoomBy(factor) {
    const before = zoom;
    const middles = [["scrollLeft", "clientWidth"], ["scrollTop", "clientHeight"]]
      .map(([at, size]) => [at, size, frame[at] + frame[size] / 2]);
    zoom = Math.max(1, Math.min(zoom * factor, Math.max(4, LARGE / unit())));
    picture.style.setProperty("--zoom", zoom);
    measure();
    for (const [at, size, middle] of middles)
      frame[at] = middle * zoom / before - frame[size] / 2;
  }

  function mark() {
    shown.nodes.forEach(({ group }, other) => {
      group.classList.toggle("chosen", other === view.chosen);
      group.setAttribute("aria-pressed", other === view.chosen);
      group.classList.toggle("asked", Boolean(view.asking) && view.asking.node === other);
    });
    drawEdges();
  }

  function draw(time) {
    const part = view.asking ? nodes.map(({ number }) => view.asking.reached(number) ? 1 : 0)
      : model.progress(view.list, time);
    shown.nodes.forEach(({ level }, number) => level.setAttribute("y", 0.21 - 0.42 * part[number]));
    shown.waits.style.display = time >= last ? "" : "none";
    shown.packets.replaceChildren(...(view.asking ? [] : model.moving(view.list, time)).map(hop => {
      const [x, y] = along(hop, (time - hop.begin) / (hop.end - hop.begin));
      const kind = model.kindOf(hop);
      const group = make("g", { class: `packet kind${kind % KINDS}`,
                                transform: `translate(${x} ${y})` });
      if (!hop.came) group.classList.add("lost");
      make("circle", { r: 0.09, class: "dot" }, group);
      if (hop.sends > 1 || hop.note) make("circle", { r: 0.12, class: "again" }, group);
      make("text", { "font-size": 0.14 }, group).textContent = kind;
      return group;
    }));
    return shown.packets.childElementCount;
  }

  build();
  return { build, mark, draw, zoomBy, hasLevels: () => Boolean(theTree()) };
}
