// The diagrams of a run: space and time, ports, links at work, processes, buffers, loads.
"use strict";

const TALL = 420; // of a diagram with a row for each node, where rows can be thin
const THIN = 3; // a row, at least
const drawn = count => `${count} ${count === 1 ? "packet" : "packets"} on links`;

/// Nodes downward, time to the right up to `until`, which may be that of another run.
function spacetime(view, until, setTime) {
  const { model } = view, { run, hops, nodes } = model, id = `spacetime${view.suffix}`;
  const row = Math.max(THIN, Math.min(18, 700 / nodes.length)), top = 8, left = 34;
  const words = `Space and time: ${drawn(hops.length)} between ${nodes.length} nodes, from 0 to ` +
    `${model.last}; the critical path has ${run.critical_hops} hops, which are listed as text.`;
  canvas(id, top + row * nodes.length + 22, words, (pen, width) => {
    const wide = width - left - 12, x = time => left + wide * time / (until || 1);
    const y = node => top + row * (node + 0.5);
    rowNames(pen, nodes.length, row, top);
    const critical = new Set(run.critical);
    for (const hop of hops) {
      const kind = model.kindOf(hop), lost = hop.note && !hop.came;
      pen.strokeStyle = lost ? ink("--bad") : color(kind);
      pen.lineWidth = critical.has(hop.index) ? 3 : 1.2;
      pen.setLineDash(lost ? [2, 4] : dashes(kind));
      pen.beginPath();
      pen.moveTo(x(hop.begin), y(hop.from));
      pen.lineTo(x(hop.end), y(hop.to));
      pen.stroke();
    }
    pen.setLineDash([]);
    timeAxis(pen, left, wide, top + row * nodes.length + 16, until);
  });
  addCursor(byId(id), { left, right: 12, until }, setTime);
}

function gantt(view, setTime) {
  const { run, hops, nodes, last, kindOf } = view.model;
  const ports = Math.max(1, ...run.loads.map(row => row.length));
  const line = Math.min(Math.max(4, 10 / ports), TALL / nodes.length / ports);
  const row = Math.max(THIN, line * ports + 2), top = 8, left = 34;
  const words = `Ports at work: a bar for each of ${drawn(hops.length)}, in the row of the port by ` +
    `which it leaves; the table of link loads has the sums.`;
  canvas("gantt", top + row * nodes.length + 22, words, (pen, width) => {
    const wide = width - left - 12, x = time => left + wide * time / (last || 1);
    rowNames(pen, nodes.length, row, top);
    for (const hop of hops) {
      const long = Math.max(1, x(hop.end) - x(hop.begin) - 0.5);
      pen.fillStyle = color(kindOf(hop));
      pen.fillRect(x(hop.begin), top + row * hop.from + line * hop.port, long,
                   Math.max(1, line - 0.5));
    }
    timeAxis(pen, left, wide, top + row * nodes.length + 16, last);
  });
  addCursor(byId("gantt"), { left, right: 12, until: last }, setTime);
}

function utilisation(view, setTime) {
  const { model } = view, { last } = model, left = 40;
  const most = model.busy().reduce((links, moment) => Math.max(links, moment[1]), 0);
  const words = `Utilisation: at most ${most} of ${model.channels} links carry a packet at a time.`;
  canvas("utilisation", 180, words, (pen, width) => {
    const wide = width - left - 12, high = 140, top = 10;
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
    timeAxis(pen, left, wide, top + high + 16, last);
  });
  addCursor(byId("utilisation"), { left, right: 12, until: last }, setTime);
}

/// Rows of processes; what is under the pointer is said in words.
function processes(view, setTime) {
  const { model } = view, { run, last } = model, { stays, lines, all_stays } = run.processes;
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
    addText(byId("lines"), "li", `${time}: [${node}] ${text}`);
  const words = `Processes: what ${names.length} of them did from 0 to ${until}; the printed ` +
    `lines are listed as text, and a chosen node says what its own do.`;
  canvas("processes", top + row * names.length + 22, words, (pen, width) => {
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
    timeAxis(pen, left, width - left - 12, top + row * names.length + 16, until);
  });
  addCursor(byId("processes"), { left, right: 12, until }, setTime);
}

/// The most that each node ever had in use, and what the longest path asks for.
function pool(view) {
  const { run, results } = view.model, used = results.buffers_used || [];
  byId("pool-legend").textContent = used.length
    ? `The most that each node had in use. Forwarding needs more than the longest path has ` +
      `links: ${run.pool.needed} (the line); with all that processes may be promised, ` +
      `${run.pool.enough} are enough.`
    : "The capture does not say how many were in use.";
  const words = `Packet buffers in use at most, node by node: ${used.join(" ")}.`;
  canvas("pool", 160, words, (pen, width) => {
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
function squares(id, title, rows, columns, cells) {
  const most = Math.max(1, ...cells.map(cell => cell[2]));
  const side = Math.max(2, Math.min(22, 640 / rows)), left = 34, top = 16;
  const words = `${title}: ${cells.slice(0, 256).map(([row, column, count]) =>
    `${row} ${column}: ${count}`).join(", ")}${cells.length > 256 ? ", and more" : ""}.`;
  canvas(id, top + side * rows + 6, words, (pen, width) => {
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
