// The mode that asks: to whom does a node send? Its children stay hidden until they have been
// clicked. No document: main.js asks, and shows what this says.
"use strict";

/// A tree asked node by node from its root on, nearer nodes first. Counts what was clicked right and
/// wrong; that a node sends to nobody else is an answer, too.
function makeAsking(model, tree) {
  const { nodes } = model, start = model.run.plan.root ?? 0;
  const queue = [start], reached = new Set(queue), found = new Set();
  const named = number => `node ${number} (${nodes[number].label})`;
  const below = number => tree.children[number];
  const state = { tree, node: start, found, last: null, right: 0, wrong: 0, said: "" };
  let done = 0;

  function judge(good, words) {
    ++state[good ? "right" : "wrong"];
    state.said = `${good ? "Right" : "No"}: ${words}`;
    return good;
  }

  /// Why a node is no child of the one that is asked about, without the name of one that is.
  function whyNot(number) {
    if (model.portBetween(state.node, number) === null)
      return `no link leads from ${named(state.node)} to ${named(number)}.`;
    if (found.has(`${number}:${state.node}`))
      return `${named(number)} is the one that it has it from.`;
    return `${named(number)} has it from another node.`;
  }

  /// A click: on the node itself it says that these were all.
  state.answer = number => {
    if (state.node === null) return false;
    if (number === state.node) return state.rest();
    if (found.has(`${state.node}:${number}`)) return false;
    if (!below(state.node).includes(number)) return judge(false, whyNot(number));
    found.add(`${state.node}:${number}`);
    if (!reached.has(number)) queue.push(number);
    reached.add(number);
    return judge(true, `${named(state.node)} sends to ${named(number)}.`);
  };

  /// "That is all", and on to the next node if it is.
  state.rest = () => {
    if (state.node === null) return false;
    const missing = below(state.node).filter(child => !found.has(`${state.node}:${child}`));
    if (missing.length > 0) return judge(false, `${named(state.node)} sends to more than these.`);
    judge(true, `${named(state.node)} sends to ${below(state.node).length ? "these" : "nobody"}.`);
    state.last = state.node;
    state.node = queue[++done] ?? null;
    return true;
  };

  state.reached = number => reached.has(number);
  state.lines = () => {
    const count = `right ${state.right}, wrong ${state.wrong}`;
    return [state.node === null ? `That was the last of ${counted(done, "node")}: ${count}.`
      : `To whom does ${named(state.node)} send? Click each of them, then the node itself, or ` +
        `\u201cthat is all\u201d.`,
            state.said,
            state.node === null ? "" : `${counted(done, "node")} of ${nodes.length} done, ${count}.`]
      .filter(Boolean);
  };
  return state;
}

if (typeof module !== "undefined") module.exports = { ...module.exports, makeAsking };
