// What the page says in words: title, verdict, figures, waits, the critical path, and of a node its
// place in the tree with the arithmetic of the rule.
"use strict";

function packetName(run, packet) {
  const [source, message, position, , destination] = run.packets[packet];
  const to = destination === -2 ? "a set" : destination < 0 ? "all" : destination;
  return `${source}\u2192${to} #${message} at ${position}`;
}

function showHead(views) {
  const [{ model }] = views, { run, hops } = model;
  byId("title").textContent = views.map(view => view.model.title()).join(", beside ");
  document.title = byId("title").textContent;
  byId("command").textContent = views.map(view => view.model.run.command).join("\n");
  const verdict = byId("verdict");
  verdict.textContent = views.map(view => view.model.verdict()).join("; ");
  verdict.className = views.every(view => view.model.good) ? "good" : "bad";
  const letters = views.map(view => view.model.letters());
  byId("letters").textContent = new Set(letters).size === 1 ? letters[0]
    : letters.map((words, at) => words && `${at ? "beside: " : ""}${words}`).filter(Boolean).join("; ");
  byId("letters").hidden = !byId("letters").textContent;
  const remarks = [];
  if (run.every > 1)
    remarks.push(`Thinned: ${hops.length} of ${run.all_hops} hops are drawn, ` +
      `one of ${run.every}; figures and loads are of all.`);
  if (hops.some(hop => hop.sends > 1 || !hop.came))
    remarks.push("Model time counts each packet once: what was lost and is sent again takes no more " +
      "of it. A packet that does not come turns back.");
  byId("remarks").hidden = remarks.length === 0;
  byId("remarks").textContent = remarks.join(" ");
  const titles = [...new Set(views.flatMap(view => view.model.figures().map(row => row[0])))];
  const tables = views.map(view => new Map(view.model.figures()));
  for (const title of titles) {
    const row = byId("figures").insertRow();
    addText(row, "th", title).scope = "row";
    for (const table of tables) row.insertCell().textContent = table.get(title) ?? "";
  }
}

/// The colours: what each number on a packet stands for.
function showKinds(views) {
  const kinds = [...new Set(views.flatMap(({ model }) => model.hops.map(model.kindOf)))]
    .sort((a, b) => a - b);
  const meaning = ({ model }) => model.severalTrees ? "the subtree"
    : "the port by which a packet leaves";
  byId("kinds-word").textContent = `Number and colour: ${views.map(meaning).join("; right: ")}.`;
  for (const kind of kinds.slice(0, 24))
    addText(byId("kinds"), "li", kind).className = `kind${kind % KINDS}`;
  byId("legend").hidden = kinds.length === 0;
}

function showWaits({ model }) {
  const { results } = model, waits = results.waits || [];
  byId("waits").hidden = waits.length === 0;
  byId("circle").textContent = results.who_waits || "";
  for (const wait of waits.slice(0, ROWS))
    addText(byId("waiting"), "li", `${model.waiterOf(wait)} waits for ${wait.for}`);
}

function showChain({ model }) {
  const { run, hops, results } = model, path = run.critical.map(place => hops[place]);
  byId("critical").textContent = path.length === 0 ? "No packet took time on a link." :
    `${run.critical_hops} hops take ${run.critical_time} units of time` +
    (run.critical_waits ? `, and ${run.critical_waits} pass between them` : "") +
    (model.ended && results.steps !== undefined ? `; steps ${results.steps}` : "") +
    (model.good && results.formula
      ? `, formula ${results.formula} = ${results.formula_steps}` : "") +
    "." + (path.length > ROWS ? ` The first ${ROWS} of those that are drawn:` : "");
  for (const hop of path.slice(0, ROWS))
    addText(byId("chain"), "li", `${hop.begin} to ${hop.end}: node ${hop.from} by port ${hop.port} ` +
      `to ${hop.to}, packet ${packetName(run, hop.packet)}${hop.note ? ` (${hop.note})` : ""}`);
}

/// The lines on a node at a time. With several trees those of all, or of the chosen one.
function linesAbout(view, number, time) {
  const { model } = view, { run, results, last } = model, node = model.nodes[number];
  const lines = [`Node ${number}, ${run.plan.topology === "star" ? "permutation" : "address"} ` +
                 `${node.label}${model.fate(number)}${model.failed.has(number)
                   ? ", which did not get all that it should" : ""}.`];
  for (const stay of model.doing(number, time)) lines.push(`${model.wordsOf(stay)}.`);
  for (const wait of results.waits || [])
    if (wait.node === number && time >= last)
      lines.push(`${model.waiterOf(wait)} waits for ${wait.for}.`);
  const steps = view.asking ? [] // who asks for a tree is told of the tree
    : run.exchanges[number] || [];
  for (const place of steps) lines.push(run.words[place]);
  if (steps.length && run.trees.length) lines.push(`In the tree from node ${run.plan.root}:`);
  for (const tree of run.trees) {
    if (view.choice.subtree !== null && tree.index !== view.choice.subtree) continue;
    if (run.trees.length > 1) lines.push(`Subtree ${tree.index}:`);
    for (const place of tree.why[number] || []) lines.push(run.words[place]);
    if (tree.why.length === 0) {
      const below = tree.children[number];
      lines.push(`Parent ${tree.parent[number] < 0 ? "none" : tree.parent[number]}, children ` +
                 `${below.length ? below.join(", ") : "none"}; mesh tree --why ${number} says why.`);
    }
  }
  return lines;
}

function showAbout(view, number, time) {
  const box = byId(`about${view.suffix}`);
  box.replaceChildren();
  if (view.asking) {
    for (const line of view.asking.lines()) addText(box, "p", line);
    if (view.asking.last !== null) // what has been found is explained
      for (const line of linesAbout({ ...view, choice: { subtree: view.asking.tree.index } },
                                    view.asking.last, 0)) addText(box, "p", line).className = "hint";
    return;
  }
  if (number !== null)
    for (const line of linesAbout(view, number, time)) addText(box, "p", line);
  else
    addText(box, "p", view.model.run.trees.length || view.model.run.exchanges.length
      ? "Point at a node, click it, or go there by Tab and Enter: here you read to whom it sends, and " +
        "the arithmetic on its address that says so."
      : "Point at a node, click it, or go there by Tab and Enter: here you read what it does.")
      .className = "hint";
}
