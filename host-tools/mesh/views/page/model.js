// What the page knows of a run, and what is derived from it. No document: a test runs this alone.
"use strict";

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const NEARLY_ALL = 0.85; // of a node's circle
const namedNodes = list => `${list.length === 1 ? "node" : "nodes"} ${list.join(" ")}`;

function makeModel(run) {
  const hops = run.hops.map(([from, port, to, begin, end, subtree, packet, sends, came, note],
                             index) =>
    ({ from, port, to, begin, end, subtree, packet, sends, came: came === 1, index,
       note: run.notes[note] }));
  const nodes = run.nodes.map(([x, y, label], number) => ({ number, x, y, label }));
  const results = run.results || {};
  const faults = results.faults || {};
  const failed = results.failed_nodes || [];
  const last = hops.reduce((time, hop) => Math.max(time, hop.end), 0);
  const moments = [...new Set([0, ...hops.map(hop => hop.end)])].sort((a, b) => a - b);

  /// "1/2" and "1>2" of the report, as ends of cables that carry nothing.
  const dead = new Set();
  for (const text of faults.cut || []) {
    const [node, port] = text.split(/[/>]/).map(Number);
    const cable = run.links.find(([a, p, b]) => p === port && (a === node || b === node));
    dead.add(`${node}:${port}`);
    if (text.includes("/") && cable) dead.add(`${cable[0] === node ? cable[2] : cable[0]}:${port}`);
  }
  for (const text of faults.mend || []) {
    const [node, port] = text.split(/[/>]/).map(Number);
    const cable = run.links.find(([a, p, b]) => p === port && (a === node || b === node));
    for (const end of cable ? [cable[0], cable[2]] : [node]) dead.delete(`${end}:${port}`);
  }
  /// What the fault plan did to a node, as words behind its name.
  const fates = new Map();
  const past = { kill: "killed", hang: "hung", restart: "restarted" };
  for (const [kind, list] of Object.entries(faults))
    for (const node of Array.isArray(list) ? list : [])
      if (Number.isInteger(node)) fates.set(node, past[kind] || kind);
  /// Nodes without what they were to have.
  const failed_nodes = new Set(failed);
  const dead_nodes = new Set([...fates].filter(fate => fate[1] !== "restarted")
    .map(([node]) => node));

  /// Packets that are to come to each node. One that failed or is dead was to have those, too, that
  /// were lost on the link to it; of a broadcast, where each is for all, those that never set out.
  const { plan } = run;
  const lacking = number => failed_nodes.has(number) || dead_nodes.has(number);
  const expected = nodes.map(() => 0);
  for (const hop of hops) if (hop.came || lacking(hop.to)) ++expected[hop.to];
  if (plan.op === "bcast")
    for (const { number } of nodes.filter(node => lacking(node.number)))
      expected[number] = Math.max(expected[number], plan.packets * (plan.copies ?? 1) / run.every);
  /// A node without all that it was to have is never drawn full, even if the rest is very little.
  const most = number => plan.op !== "app" && failed_nodes.has(number) ? NEARLY_ALL : 1;

  const sum = rows => rows.reduce((all, row) => all + row.reduce((a, b) => a + b, 0), 0);
  const model = { run, hops, nodes, results, last, moments, dead, dead_nodes,
                  failed: failed_nodes };
  model.root = plan.op === "app" || plan.tree === null || plan.tree === undefined ? null : plan.root;
  /// The root of these ops has all from the beginning.
  const giver = ["bcast", "scatter"].includes(plan.op) ? plan.root : null;
  model.severalTrees = new Set(hops.map(hop => hop.subtree)).size > 1 || run.trees.length > 1;
  /// The number and colour of a packet: its subtree; where there is one tree, its port.
  model.kindOf = hop => model.severalTrees ? hop.subtree : hop.port;
  const ends = new Map();
  for (const [a, port, b] of run.links) {
    ends.set(`${a}:${port}`, b);
    if (!run.directed) ends.set(`${b}:${port}`, a);
  }
  /// The node across a port; null if none is there.
  model.neighbor = (node, port) => ends.get(`${node}:${port}`) ?? null;
  const ports = new Map([...ends].map(([end, to]) => {
    const [from, port] = end.split(":").map(Number);
    return [`${from}:${to}`, port];
  }));
  /// The port to a neighbour; null if there is no link.
  model.portBetween = (from, to) => ports.get(`${from}:${to}`) ?? null;
  /// The title of the run, with its tree.
  model.title = () => `${[model.work, plan.app ? null : plan.tree].filter(Boolean).join(" over ")} ` +
                      `on a ${plan.topology} of ${nodes.length}`;
  model.work = run.plan.app ? run.plan.app.replace(/^.*\/|\.\w+$/g, "") : run.plan.op;
  /// The run came to its own end, so that its steps are all there are.
  model.ended = run.results && !results.cut_short;
  /// Every node that lives has what it was to have; only then its steps are those of a formula.
  model.good = model.ended && failed.length === 0 && results.verified_nodes > 0;
  /// In one line: what has come of the run.
  model.verdict = () => {
    if (!run.results)
      return "The capture has no end: the run was ended, or the disk was full.";
    if (model.good)
      return `\u2713 ${counted(results.verified_nodes, "node")} verified` +
        (results.formula ? `, ${counted(results.steps, "step")}; ${results.formula} = ` +
                           `${results.formula_steps}` : "");
    return `\u2717 ${results.cut_short || (failed.length === 0 ? "no node is left alive" :
      `${counted(failed.length, "node")} failed: ` +
      failed.slice(0, 12).join(" ") + (failed.length > 12 ? " \u2026" : ""))}`;
  };
  /// What the letters of its formula stand for: "P = 12 (packets), n = 4 (dimensions)".
  model.letters = () => model.good && results.formula ? run.letters.map(([letter, words, value]) =>
    `${letter}${value === null ? "" : ` = ${value}`} (${words})`).join(", ") : "";
  model.fate = node => fates.has(node) ? `, ${fates.get(node)}` : "";

  /// Hops that `choice` ({subtree, packet}, each a number or null) is about.
  model.chosen = choice => hops.filter(hop =>
    (choice.subtree === null || hop.subtree === choice.subtree) &&
    (choice.packet === null || hop.packet === choice.packet));
  /// Those on their way at `time`.
  model.moving = (list, time) => list.filter(hop => hop.begin <= time && time < hop.end);
  /// For each node the part of all its packets that has come by `time`.
  model.progress = (list, time) => {
    const got = nodes.map(() => 0);
    for (const hop of list) if (hop.came && hop.end <= time) ++got[hop.to];
    return got.map((count, node) => expected[node] === 0 ? (node === giver ? 1 : 0)
      : Math.min(most(node), count / expected[node]));
  };
  model.next = time => moments.find(moment => moment > time + 1e-9) ?? last;
  model.previous = time => [...moments].reverse().find(moment => moment < time - 1e-9) ?? 0;
  /// Packets from node to node, as [from, to, count].
  model.matrix = () => {
    const count = new Map();
    for (const hop of hops) {
      const key = hop.from * nodes.length + hop.to;
      count.set(key, (count.get(key) || 0) + 1);
    }
    return [...count].map(([key, packets]) =>
      [Math.floor(key / nodes.length), key % nodes.length, packets]);
  };
  /// [time, links at work from then on].
  model.busy = () => {
    const changes = new Map();
    for (const hop of hops) {
      if (hop.begin === hop.end) continue;
      changes.set(hop.begin, (changes.get(hop.begin) || 0) + 1);
      changes.set(hop.end, (changes.get(hop.end) || 0) - 1);
    }
    let links = 0;
    return [...changes].sort((a, b) => a[0] - b[0]).map(([time, change]) =>
      [time, links += change]);
  };
  /// What a process did for a while: [node, process, begin, end, waits for].
  model.wordsOf = ([node, process, begin, end, waits]) =>
    `node ${node}, process ${process}: ${waits ? `waits for ${waits}` : "works"}, ` +
    `${begin} to ${end}`;
  /// The stays of a node's processes at a time.
  model.doing = (node, time) => run.processes.stays.filter(stay =>
    stay[0] === node && stay[2] <= time && time < stay[3]);
  model.waiterOf = wait =>
    `node ${wait.node}${wait.process === 0 ? "" : `'s process ${wait.process}`}`;
  /// Waits of a node for others, which are in their words: of an alt() several.
  model.waits_between = (results.waits || []).flatMap(wait => {
    const others = [...wait.for.matchAll(/\bnode (\d+)/g)].map(found => Number(found[1]));
    return [...new Set(others)].filter(to => to !== wait.node && nodes[to]).map(to =>
      ({ node: wait.node, to, words: `${model.waiterOf(wait)} waits for ${wait.for}` }));
  });
  model.channels = run.links.length * (run.directed ? 1 : 2);
  /// [title, value] of what the run has come to.
  model.figures = () => {
    const rows = [];
    const add = (title, value) => {
      if (value !== null && value !== undefined) rows.push([title, String(value)]);
    };
    add("work", plan.app || [plan.op, plan.tree].filter(Boolean).join(" over "));
    add("network", `${plan.topology} of ${nodes.length} nodes, dimension ${plan.dim}`);
    if (model.ended) add(model.good ? "steps" : "steps of the nodes that ended", results.steps);
    if (model.good)
      add("formula", results.formula && `${results.formula} = ${results.formula_steps}`);
    if (model.ended) add("model time", results.model_time);
    add("hops", run.all_hops);
    add("busiest link", Math.max(0, ...run.loads.map(row => Math.max(0, ...row))));
    if (run.results)
      add("verified", `${results.verified_nodes} of ` +
                      counted(results.verified_nodes + failed.length, "live node"));
    add("failed", failed.length ? namedNodes(failed) : null);
    add("ended early", results.cut_short);
    add("retransmissions", results.retransmissions);
    if ((results.buffers_used || []).length)
      add("packet buffers", `${Math.max(...results.buffers_used)} of a node in use at most; ` +
                            `its longest path needs ${run.pool.needed}`);
    for (const [kind, what] of Object.entries(faults)) {
      if (Array.isArray(what) ? what.length : what)
        add(`faults: ${kind.replace("_", " ")}`, Array.isArray(what) ? what.join(" ") : what);
    }
    return rows;
  };
  /// The run gone through step by step, as numbers that the report has too.
  model.selftest = () => {
    let steps = 0, moved = 0, time = 0;
    const seen = new Set();
    for (;;) {
      for (const hop of hops) if (hop.end <= time) seen.add(hop.index);
      if (time >= last) break;
      moved += model.moving(hops, time).length > 0 ? 1 : 0;
      time = model.next(time);
      ++steps;
    }
    return { nodes: nodes.length, hops: run.all_hops, seen: seen.size, steps, moved, last: time,
             loads: run.loads, hops_by_loads: sum(run.loads),
             max_link_load: Math.max(...run.loads.map(row => Math.max(...row))),
             critical_time: run.critical_time, critical_waits: run.critical_waits,
             critical_hops: run.critical_hops,
             complete: model.progress(hops, last).every((part, node) =>
               part === (expected[node] || node === giver ? 1 : 0)) };
  };
  return model;
}

if (typeof module !== "undefined") module.exports = { makeModel };
