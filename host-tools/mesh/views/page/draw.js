// The pictures of the page, drawn from the model.
"use strict";

(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const COLORS = ["#0072b2", "#d55e00", "#007a5a", "#b0528c", "#9a6a00", "#3a6ea5", "#7f3c8d",
                  "#666666"];
  const RADIUS = 0.21; // of a node
  const ROWS = 500;    // of a list that is read by eye
  const SIDES = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const byId = id => document.getElementById(id);
  const model = makeModel(JSON.parse(byId("run").textContent));
  const { run, hops, nodes, results, last } = model;
  const color = subtree => COLORS[subtree % COLORS.length];
  const state = { time: 0, playing: false, chosen: null, choice: { subtree: null, packet: null },
                  list: hops };

  function make(name, attributes, parent) {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (parent) parent.append(element);
    return element;
  }

  // --- words and figures ---

  function packetName(packet) {
    const [source, message, position, , destination] = run.packets[packet];
    const to = destination === -2 ? "a set" : destination < 0 ? "all" : destination;
    return `${source}\u2192${to} #${message} at ${position}`;
  }

  function showHead() {
    const { plan } = run;
    byId("title").textContent = `${model.work} on a ${plan.topology} of ${nodes.length}`;
    byId("command").textContent = run.command;
    const verdict = byId("verdict");
    verdict.textContent = model.verdict();
    verdict.className = model.good ? "good" : "bad";
    if (run.every > 1) {
      byId("remarks").hidden = false;
      byId("remarks").textContent = `Thinned: ${hops.length} of ${run.all_hops} hops are drawn, ` +
        `one of ${run.every}; figures and loads are of all.`;
    }
    for (const [title, value] of model.figures()) {
      const row = byId("figures").insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = title;
      row.append(head);
      row.insertCell().textContent = value;
    }
  }

  function showWaits() {
    const waits = results.waits || [];
    byId("waits").hidden = waits.length === 0;
    byId("circle").textContent = results.who_waits || "";
    for (const wait of waits.slice(0, ROWS)) {
      const item = document.createElement("li");
      item.textContent = `${model.waiterOf(wait)} waits for ${wait.for}`;
      byId("waiting").append(item);
    }
  }

  function showChain() {
    const path = run.critical.map(place => hops[place]);
    byId("critical").textContent = path.length === 0 ? "No packet took time on a link." :
      `${run.critical_hops} hops take ${run.critical_time} units of time` +
      (run.critical_waits ? `, and ${run.critical_waits} pass between them` : "") +
      (model.ended && results.steps !== undefined ? `; steps ${results.steps}` : "") +
      (model.ended && results.formula
        ? `, formula ${results.formula} = ${results.formula_steps}` : "") +
      "." + (path.length > ROWS ? ` The first ${ROWS} of those that are drawn:` : "");
    for (const hop of path.slice(0, ROWS)) {
      const item = document.createElement("li");
      item.textContent = `${hop.begin} to ${hop.end}: node ${hop.from} by port ${hop.port} to ` +
        `${hop.to}, packet ${packetName(hop.packet)}${hop.note ? ` (${hop.note})` : ""}`;
      byId("chain").append(item);
    }
  }

  function about(number) {
    const node = nodes[number];
    const lines = [`Node ${number}, ${run.plan.topology === "star" ? "permutation" : "address"} ` +
                   `${node.label}${model.fate(number)}.`];
    for (const stay of model.doing(number, state.time)) lines.push(`${model.wordsOf(stay)}.`);
    for (const wait of results.waits || [])
      if (wait.node === number && state.time >= last)
        lines.push(`${model.waiterOf(wait)} waits for ${wait.for}.`);
    for (const tree of run.trees) {
      if (state.choice.subtree !== null && tree.index !== state.choice.subtree) continue;
      const below = tree.children[number];
      const name = run.trees.length > 1 ? `Subtree ${tree.index}: ` : "";
      lines.push(`${name}parent ${tree.parent[number] < 0 ? "none" : tree.parent[number]}, ` +
                 `children ${below.length ? below.join(", ") : "none"}. ` +
                 (tree.why[number] || ""));
    }
    const box = byId("about");
    box.replaceChildren(...lines.map(line => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
  }

  // --- the network ---

  const picture = byId("picture");
  const shown = { nodes: [], links: [], packets: null };

  /// The place of a packet between the rims of two nodes. It keeps to the right, so that two that
  /// cross one link in both directions are both seen.
  function along(hop, part) {
    const a = nodes[hop.from], b = nodes[hop.to], aside = run.directed ? 0 : 0.08;
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy);
    const way = RADIUS + 0.1 + (length - 2 * RADIUS - 0.2) * part;
    return [a.x + (dx * way - dy * aside) / length, a.y + (dy * way + dx * aside) / length];
  }

  function buildNetwork() {
    const xs = nodes.map(node => node.x), ys = nodes.map(node => node.y);
    const left = Math.min(...xs) - 0.7, top = Math.min(...ys) - 0.7;
    const wide = Math.max(...xs) - left + 0.7, high = Math.max(...ys) - top + 0.7;
    picture.setAttribute("viewBox", `${left} ${top} ${wide} ${high}`);
    picture.style.aspectRatio = `${wide} / ${high}`;
    for (const [from, port, to] of run.links) {
      const a = nodes[from], b = nodes[to], mid = [(a.x + b.x) / 2, (a.y + b.y) / 2];
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
    for (const node of nodes) buildNode(node);
    shown.packets = make("g", {}, picture);
  }

  function buildNode(node) {
    const number = node.number, root = number === run.plan.root && run.plan.op !== "app";
    const group = make("g", { class: "node", tabindex: number === 0 ? 0 : -1, role: "button",
      "aria-label": `node ${number}${model.fate(number)}`, transform: `translate(${node.x} ${node.y})` }, picture);
    if (root) make("circle", { r: 0.27, class: "ring", fill: "none", "stroke-width": 0.03 }, group);
    make("circle", { r: RADIUS, class: "body", "stroke-width": 0.04 }, group);
    const clip = make("clipPath", { id: `c${number}` }, group);
    const level = make("rect", { x: -0.21, y: 0.21, width: 0.42, height: 0.42 }, clip);
    make("circle", { r: 0.19, class: "level", "clip-path": `url(#c${number})` }, group);
    make("text", { "font-size": number > 999 ? 0.13 : 0.2 }, group).textContent = number;
    make("title", {}, group).textContent = `node ${number}: ${node.label}${model.fate(number)}`;
    if (model.dead_nodes.has(number)) group.classList.add("dead");
    group.addEventListener("click", () => choose(number));
    group.addEventListener("keydown", event => {
      const [dx, dy] = SIDES[event.key] || [0, 0];
      if (dx || dy) beside(node, dx, dy).group.focus();
      else if (event.key === "Enter" || event.key === " ") choose(number);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    group.addEventListener("focus", () => shown.nodes.forEach(other =>
      other.group.setAttribute("tabindex", other.group === group ? 0 : -1)));
    shown.nodes.push({ group, level });
  }

  /// The nearest node on a side of another; itself, if there is none.
  function beside(node, dx, dy) {
    let best = node.number, least = Infinity;
    for (const { number, x, y } of nodes) {
      const ahead = (x - node.x) * dx + (y - node.y) * dy;
      const aside = Math.abs((x - node.x) * dy) + Math.abs((y - node.y) * dx);
      if (ahead < 0.1 || ahead + 3 * aside >= least) continue;
      least = ahead + 3 * aside;
      best = number;
    }
    return shown.nodes[best];
  }

  function choose(number) {
    state.chosen = number;
    shown.nodes.forEach(({ group }, other) => group.classList.toggle("chosen", other === number));
    const near = new Set();
    for (const tree of run.trees)
      if (state.choice.subtree === null || tree.index === state.choice.subtree)
        for (const other of [tree.parent[number], ...tree.children[number]]) near.add(other);
    for (const { from, to, line } of shown.links)
      line.classList.toggle("mine", (from === number && near.has(to)) ||
                                    (to === number && near.has(from)));
    about(number);
  }

  function drawNetwork() {
    const part = model.progress(state.list, state.time);
    shown.nodes.forEach(({ level }, number) => level.setAttribute("y", 0.21 - 0.42 * part[number]));
    shown.packets.replaceChildren(...model.moving(state.list, state.time).map(hop => {
      const [x, y] = along(hop, (state.time - hop.begin) / (hop.end - hop.begin));
      const group = make("g", { class: "packet", transform: `translate(${x} ${y})` });
      make("circle", { r: 0.09, fill: color(hop.subtree) }, group);
      if (hop.sends > 1 || hop.note) make("circle", { r: 0.12, class: "again" }, group);
      make("text", { "font-size": 0.14 }, group).textContent = hop.subtree;
      return group;
    }));
    byId("time").value = state.time;
    byId("clock").textContent = `${Math.round(state.time * 100) / 100} of ${last}`;
  }

  // --- diagrams ---

  function canvas(id, height, paint) {
    const element = byId(id);
    const repaint = () => {
      const scale = window.devicePixelRatio || 1;
      const width = element.clientWidth || 300;
      element.style.height = `${height}px`;
      element.width = width * scale;
      element.height = height * scale;
      const pen = element.getContext("2d");
      pen.scale(scale, scale);
      pen.font = "11px system-ui, sans-serif";
      const style = getComputedStyle(document.documentElement);
      const ink = name => style.getPropertyValue(name).trim();
      pen.fillStyle = ink("--ink");
      pen.strokeStyle = ink("--line");
      paint(pen, width, ink);
    };
    window.addEventListener("resize", repaint);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    return repaint;
  }

  /// Round numbers, no nearer to each other than they can be read.
  function timeAxis(pen, left, width, bottom, ink, until = last) {
    const least = (until || 1) / Math.max(1, Math.floor(width / 60));
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * [1, 2, 5, 10].find(factor => power * factor >= least);
    pen.fillStyle = ink("--soft");
    for (let at = 0; at * step <= until; ++at) {
      const text = String(Number((at * step).toPrecision(6))), wide = pen.measureText(text).width;
      const middle = left + width * at * step / (until || 1);
      pen.fillText(text, Math.min(middle - wide / 2, left + width + 10 - wide), bottom);
    }
  }

  function rowNames(pen, count, row, top) {
    const every = Math.ceil(12 / row);
    for (let node = 0; node < count; node += every)
      pen.fillText(String(node), 2, top + row * (node + 0.5) + 4);
  }

  function spacetime() {
    const row = Math.max(3, Math.min(18, 700 / nodes.length)), top = 8, left = 34;
    return canvas("spacetime", top + row * nodes.length + 22, (pen, width, ink) => {
      const wide = width - left - 12, x = time => left + wide * time / (last || 1);
      const y = node => top + row * (node + 0.5);
      rowNames(pen, nodes.length, row, top);
      const critical = new Set(run.critical);
      for (const hop of hops) {
        pen.strokeStyle = hop.note && !hop.came ? ink("--bad") : color(hop.subtree);
        pen.lineWidth = critical.has(hop.index) ? 3 : 0.8;
        pen.setLineDash(hop.note ? [4, 3] : []);
        pen.beginPath();
        pen.moveTo(x(hop.begin), y(hop.from));
        pen.lineTo(x(hop.end), y(hop.to));
        pen.stroke();
      }
      pen.setLineDash([]);
      timeAxis(pen, left, wide, top + row * nodes.length + 16, ink);
    });
  }

  function gantt() {
    const ports = Math.max(1, ...run.loads.map(row => row.length));
    const line = Math.max(1, Math.min(Math.max(4, 10 / ports), 900 / nodes.length / ports));
    const row = line * ports + 2, top = 8, left = 34;
    return canvas("gantt", top + row * nodes.length + 22, (pen, width, ink) => {
      const wide = width - left - 12, x = time => left + wide * time / (last || 1);
      rowNames(pen, nodes.length, row, top);
      for (const hop of hops) {
        pen.fillStyle = color(hop.subtree);
        pen.fillRect(x(hop.begin), top + row * hop.from + line * hop.port,
                     Math.max(1, x(hop.end) - x(hop.begin) - 0.5), Math.max(1, line - 0.5));
      }
      timeAxis(pen, left, wide, top + row * nodes.length + 16, ink);
    });
  }

  function utilisation() {
    return canvas("utilisation", 180, (pen, width, ink) => {
      const left = 40, wide = width - left - 12, high = 140, top = 10;
      const x = time => left + wide * time / (last || 1);
      const y = links => top + high * (1 - links / model.channels);
      pen.fillText(String(model.channels), 4, top + 8);
      pen.fillText("0", 4, top + high);
      pen.fillStyle = ink("--accent");
      let before = [0, 0];
      for (const moment of model.busy()) {
        pen.fillRect(x(before[0]), y(before[1]), x(moment[0]) - x(before[0]) + 0.5,
                     top + high - y(before[1]));
        before = moment;
      }
      pen.strokeRect(left, top, wide, high);
      timeAxis(pen, left, wide, top + high + 16, ink);
    });
  }

  /// Rows of processes; what is under the pointer is said in words.
  function processes() {
    const { stays, lines, all_stays } = run.processes;
    byId("process-section").hidden = stays.length + lines.length === 0;
    const names = [...new Set(stays.map(stay => stay[0] * 64 + stay[1]))].sort((a, b) => a - b);
    const rowOf = new Map(names.map((name, row) => [name, row]));
    const row = Math.max(4, Math.min(16, 800 / (names.length || 1))), top = 8, left = 46;
    const until = Math.max(last, ...stays.map(stay => stay[3])) || 1;
    const x = (time, width) => left + (width - left - 12) * time / until;
    const y = (node, process) => top + row * (rowOf.get(node * 64 + process) || 0);
    byId("processes").addEventListener("mousemove", event => {
      const width = byId("processes").clientWidth;
      const name = names[Math.floor((event.offsetY - top) / row)];
      const stay = stays.find(one => one[0] * 64 + one[1] === name &&
        x(one[2], width) <= event.offsetX && event.offsetX <= x(one[3], width));
      byId("doing").textContent = stay ? model.wordsOf(stay) : "\u00a0";
    });
    const cut = [stays.length < all_stays && `The first ${stays.length} of ${all_stays} bars.`,
                 lines.length > ROWS && `The first ${ROWS} of ${lines.length} lines.`];
    byId("processes-cut").textContent = cut.filter(Boolean).join(" ");
    for (const [node, time, text] of lines.slice(0, ROWS))
      byId("lines").append(Object.assign(document.createElement("li"),
                                         { textContent: `${time}: [${node}] ${text}` }));
    return canvas("processes", top + row * names.length + 22, (pen, width, ink) => {
      for (let at = 0; at < names.length; at += Math.ceil(12 / row))
        pen.fillText(`${Math.floor(names[at] / 64)}'${names[at] % 64}`, 2, top + row * (at + 0.8));
      for (const [node, process, begin, end, waits] of stays) {
        const from = x(begin, width), wide = Math.max(1, x(end, width) - from);
        pen.fillStyle = pen.strokeStyle = ink(waits ? "--line" : "--accent");
        if (waits) pen.strokeRect(from, y(node, process) + 1, wide, row - 3);
        else pen.fillRect(from, y(node, process) + 1, wide, row - 3);
      }
      pen.fillStyle = ink("--ink");
      for (const [node, time] of lines) {
        pen.beginPath();
        pen.arc(x(time, width), y(node, 0) + row / 2, Math.min(4, row / 3), 0, 7);
        pen.fill();
      }
      timeAxis(pen, left, width - left - 12, top + row * names.length + 16, ink, until);
    });
  }

  /// The most that each node ever had in use, and what the longest path asks for.
  function pool() {
    const used = results.buffers_used || [];
    byId("pool-legend").textContent = used.length
      ? `The most that each node had in use. Forwarding needs more than the longest path has ` +
        `links: ${run.pool.needed} (the line); with all that processes may be promised, ` +
        `${run.pool.enough} are enough.`
      : "The capture does not say how many were in use.";
    return canvas("pool", 160, (pen, width, ink) => {
      const left = 34, wide = width - left - 12, high = 120, top = 14;
      const most = Math.max(run.pool.needed, ...used) * 1.1, step = wide / (used.length || 1);
      const y = buffers => top + high * (1 - buffers / most);
      pen.fillText(String(run.pool.needed), 4, y(run.pool.needed) + 4);
      pen.fillText("0", 4, top + high);
      pen.fillStyle = ink("--accent");
      used.forEach((buffers, node) =>
        pen.fillRect(left + step * node, y(buffers), Math.max(1, step - 1), top + high - y(buffers)));
      pen.strokeStyle = ink("--ink");
      pen.setLineDash([6, 3]);
      pen.strokeRect(left, y(run.pool.needed), wide, 0.01);
      pen.setLineDash([]);
      pen.fillStyle = ink("--soft");
      for (let node = 0; node < used.length; node += Math.ceil(20 / step))
        pen.fillText(String(node), left + step * node, top + high + 14);
    });
  }

  /// Squares, the darker the more; [row, column, count].
  function squares(id, rows, columns, cells) {
    const most = Math.max(1, ...cells.map(cell => cell[2]));
    const side = Math.max(2, Math.min(22, 640 / rows)), left = 34, top = 16;
    return canvas(id, top + side * rows + 6, (pen, width, ink) => {
      const step = Math.min(side * (columns < rows ? 2 : 1), (width - left - 4) / columns);
      rowNames(pen, rows, side, top);
      for (let column = 0; column < columns; column += Math.ceil(18 / step))
        pen.fillText(String(column), left + step * column + 1, 11);
      pen.strokeRect(left, top, step * columns, side * rows);
      for (const [row, column, count] of cells) {
        pen.globalAlpha = 0.15 + 0.85 * count / most;
        pen.fillStyle = ink("--accent");
        pen.fillRect(left + step * column, top + side * row, step - 0.5, side - 0.5);
        pen.globalAlpha = 1;
        if (side < 12 || pen.measureText(count).width > step - 4) continue;
        pen.fillStyle = count > most / 2 ? ink("--ground") : ink("--ink");
        pen.fillText(String(count), left + step * column + 3, top + side * (row + 0.5) + 4);
      }
    });
  }

  // --- time, and who turns it ---

  function go(time) {
    state.time = Math.max(0, Math.min(last, time));
    drawNetwork();
    if (state.chosen !== null && run.processes.stays.length) about(state.chosen);
  }

  function play(on) {
    state.playing = on;
    byId("play").textContent = on ? "pause" : "play";
    byId("about").setAttribute("aria-live", on ? "off" : "polite");
    if (!on) return;
    if (state.time >= last) go(0);
    let before = performance.now();
    const perSecond = last / Math.max(6, Math.min(30, model.moments.length * 0.7));
    const tick = now => {
      if (!state.playing) return;
      go(state.time + (now - before) / 1000 * perSecond * Number(byId("speed").value));
      before = now;
      if (state.time >= last) play(false);
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  function fillChoices() {
    const add = (select, value, text) => {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      select.append(option);
    };
    add(byId("subtree"), "", "all");
    for (const subtree of [...new Set(hops.map(hop => hop.subtree))].sort((a, b) => a - b))
      add(byId("subtree"), subtree, subtree);
    add(byId("packet"), "", "all");
    run.packets.slice(0, ROWS).forEach((_, packet) => add(byId("packet"), packet,
                                                         packetName(packet)));
    const changed = () => {
      const value = id => byId(id).value === "" ? null : Number(byId(id).value);
      state.choice = { subtree: value("subtree"), packet: value("packet") };
      state.list = model.chosen(state.choice);
      if (state.chosen !== null) choose(state.chosen);
      drawNetwork();
    };
    byId("subtree").addEventListener("change", changed);
    byId("packet").addEventListener("change", changed);
  }

  function listen() {
    byId("time").max = last;
    const stop = act => () => { play(false); act(); };
    const acts = {
      first: stop(() => go(0)), last: stop(() => go(last)),
      back: stop(() => go(model.previous(state.time))),
      forward: stop(() => go(model.next(state.time))),
      play: () => play(!state.playing)
    };
    for (const id in acts) byId(id).addEventListener("click", acts[id]);
    byId("time").addEventListener("input", () => { play(false); go(Number(byId("time").value)); });
    const keys = { ArrowRight: acts.forward, ArrowLeft: acts.back, Home: acts.first,
                   End: acts.last, " ": acts.play };
    document.addEventListener("keydown", event => {
      const act = keys[event.key], own = event.key === " " ? /BUTTON|SELECT/ : /INPUT|SELECT/;
      if (!act || own.test(event.target.tagName)) return;
      event.preventDefault();
      act();
    });
  }

  showHead();
  showWaits();
  showChain();
  fillChoices();
  buildNetwork();
  listen();
  const paint = [spacetime(), gantt(), processes(), utilisation(), pool(),
                 squares("matrix", nodes.length, nodes.length, model.matrix()),
                 squares("loads", nodes.length, Math.max(1, ...run.loads.map(row => row.length)),
                         run.loads.flatMap((row, node) => row.map((count, port) =>
                           [node, port, count])).filter(cell => cell[2] > 0))];
  paint.forEach(act => act());
  const asked = /^#time=([\d.]+)/.exec(location.hash);
  go(asked ? Number(asked[1]) : 0);
  const node = /node=(\d+)/.exec(location.hash);
  if (node && nodes[Number(node[1])]) choose(Number(node[1]));
  if (location.hash === "#selftest") {
    const result = model.selftest();
    result.drawn = 0;
    for (let at = 0; at < last; at = model.next(at)) {
      go(at);
      result.drawn += shown.packets.childElementCount;
    }
    const box = document.createElement("pre");
    box.id = "selftest";
    result.overhang = document.documentElement.scrollWidth - window.innerWidth;
    box.hidden = true;
    box.textContent = JSON.stringify(result);
    document.body.append(box);
  }
})();
