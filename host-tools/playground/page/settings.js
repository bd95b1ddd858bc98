// What is set on the page, as words of the command line and as the page's address. No document: a
// test runs this alone.
"use strict";

const PROGRAM = "build/host/mesh"; // as it is called at home
const PACKET_BYTES = 64;
const RULE_FILE = "./rule.js";
const OWN = "own"; // the student's rule, among the trees
const WITH_TREE = ["bcast", "scatter", "gather", "allgather", "alltoall", "reduce", "allreduce"];
const WITHOUT_BYTES = ["barrier"];
const BESIDES_STAR = ["ascend", "descend", "sort", "fft"]; // these need dimensions
const DIMS = { cube: [2, 8], uhc: [2, 8], star: [3, 5] };
const PORTS = ["all", "half", "duplex"];

const DEFAULTS = { topology: "cube", dim: 4, op: "bcast", tree: "sbt", ports: "all", root: 0,
                   packets: 8, loss: 0, seed: 1, kill: [], cut: [] };
const TEXTS = ["topology", "op", "tree", "ports"], LISTS = ["kill", "cut"];

const MOMENT = ["time", "node", "subtree", "packet", "layout"]; // of the page of a run (main.js)

const nodeCount = ({ topology, dim }) => {
  let count = 1;
  for (let symbol = 2; topology === "star" && symbol <= dim; ++symbol) count *= symbol;
  return topology === "star" ? count : 2 ** dim;
};

/// What goes together: a size that the network has, a root and faults that are there, a tree of it.
/// `trees`: { name: topology }.
function fitted(settings, trees) {
  const fit = { ...settings }, [least, most] = DIMS[fit.topology];
  fit.dim = Math.max(least, Math.min(most, fit.dim));
  const nodes = nodeCount(fit);
  if (fit.root >= nodes) fit.root = 0;
  fit.kill = fit.kill.filter(node => node < nodes && node !== fit.root);
  fit.cut = fit.cut.filter(cable => Number(cable.split("/")[0]) < nodes);
  if (fit.topology === "star" && BESIDES_STAR.includes(fit.op)) fit.op = "bcast";
  if (fit.tree !== OWN && trees[fit.tree] !== fit.topology)
    fit.tree = Object.keys(trees).find(tree => trees[tree] === fit.topology) ?? OWN;
  return fit;
}

/// The command line; at home the rule is C++, all else is the same.
function wordsOf(settings) {
  const words = [PROGRAM, "run", "--engine", "sim", "--topology", settings.topology, "--dim",
                 settings.dim, "--op", settings.op];
  if (WITH_TREE.includes(settings.op))
    words.push("--tree", settings.tree === OWN ? RULE_FILE : settings.tree);
  if (settings.root) words.push("--root", settings.root);
  if (settings.ports !== "all") words.push("--ports", settings.ports);
  if (!WITHOUT_BYTES.includes(settings.op))
    words.push("--bytes", settings.packets * PACKET_BYTES, "--packet", PACKET_BYTES);
  const faults = [...settings.kill.map(node => `kill:${node}`),
                  ...settings.cut.map(cable => `cut:${cable}`),
                  ...settings.loss ? [`drop:${settings.loss / 100}`] : []];
  if (faults.length) words.push("--faults", faults.join(","));
  words.push("--seed", settings.seed);
  return words.map(String);
}

function addressOf(settings) {
  return Object.entries(settings).filter(([name, value]) => String(value) !== String(DEFAULTS[name]))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/// The settings of an address; what makes no sense in it is as it was at first.
function settingsOf(address) {
  const settings = { ...DEFAULTS };
  for (const [name, value] of new URLSearchParams(address)) {
    if (LISTS.includes(name))
      settings[name] = value.split(",").filter(Boolean).map(one => name === "kill" ? Number(one) : one)
        .filter(one => /^\d+(\/\d+)?$/.test(one));
    else if (TEXTS.includes(name)) settings[name] = value;
    else if (name in DEFAULTS && /^\d+$/.test(value)) settings[name] = Number(value);
  }
  if (!(settings.topology in DIMS)) settings.topology = DEFAULTS.topology;
  return settings;
}

/// What the page of a run has chosen, of the words of its address: { name: word }.
function momentOf(address) {
  const words = new URLSearchParams(address);
  return Object.fromEntries(MOMENT.filter(name => /^[\w.]+$/.test(words.get(name) ?? ""))
    .map(name => [name, words.get(name)]));
}

const addressOfMoment = moment => Object.entries(moment).map(words => words.join("=")).join("&");

/// The whole address: what is set, the settings of the run beside it (null: none), whether the page
/// asks, and what the page of the run has chosen.
function wholeAddress({ settings, beside, asking, moment }) {
  return [addressOf(settings), beside && `beside=${encodeURIComponent(addressOf(beside))}`,
          asking && "ask=1", addressOfMoment(moment)].filter(Boolean).join("&");
}

function wholeOf(address) {
  const words = new URLSearchParams(address);
  return { settings: settingsOf(address), asking: words.has("ask"), moment: momentOf(address),
           beside: words.has("beside") ? settingsOf(words.get("beside")) : null };
}

if (typeof module !== "undefined")
  module.exports = { DEFAULTS, DIMS, OWN, WITH_TREE, addressOf, fitted, momentOf, nodeCount,
                     settingsOf, wholeAddress, wholeOf, wordsOf };
