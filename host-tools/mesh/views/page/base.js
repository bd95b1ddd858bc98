// What all pictures share: elements, colours, and canvases with a cursor of time.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const KINDS = 8; // of colours; what they stand for is also a number and a pattern of dashes
const DASHES = [[], [8, 3], [2, 2], [9, 2, 2, 2], [4, 4], [1, 3], [14, 3], [5, 2, 1, 2]];
const ROWS = 500; // of a list that is read by eye

const byId = id => document.getElementById(id);
const ink = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/// The second time that a colour comes, it has the dashes of the next one, and so on.
const dashes = kind => DASHES[(kind + Math.floor(kind / KINDS)) % KINDS];
const color = kind => ink(`--kind${kind % KINDS}`);

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (parent) parent.append(element);
  return element;
}

function addText(parent, tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}

/// Diagrams in which time runs to the right: { x(time), cursor }.
const plots = [];

function moveCursors(time) {
  for (const plot of plots) plot.cursor.style.left = `${plot.x(time)}px`;
}

/// Puts a canvas into a box with a cursor, which follows the time, and lets a click or a drag set it.
/// `span`: where time 0 is, what is free on the right, and the last moment.
function addCursor(element, span, setTime) {
  const box = document.createElement("div"), cursor = document.createElement("div");
  box.className = "plot";
  cursor.className = "cursor";
  element.replaceWith(box);
  box.append(element, cursor);
  const wide = () => (element.clientWidth || 300) - span.left - span.right;
  plots.push({ cursor, x: time => span.left + wide() * Math.min(1, time / (span.until || 1)) });
  const follow = event => {
    if (event.type === "pointerdown" || event.buttons === 1)
      setTime((event.offsetX - span.left) / wide() * span.until);
  };
  element.addEventListener("pointerdown", follow);
  element.addEventListener("pointermove", follow);
}

const repaints = [];

/// A canvas of this height, painted now and whenever size or colours change. `words` say what is on
/// it, for those who do not see it.
function canvas(id, height, words, paint) {
  const element = byId(id);
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words);
  element.textContent = words;
  const repaint = () => {
    const scale = window.devicePixelRatio || 1;
    const width = element.clientWidth || 300;
    element.style.height = `${height}px`;
    element.width = width * scale;
    element.height = height * scale;
    const pen = element.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = ink("--ink");
    pen.strokeStyle = ink("--line");
    paint(pen, width);
  };
  repaints.push(repaint);
  repaint();
}

window.addEventListener("resize", () => repaints.forEach(act => act()));
window.matchMedia("(prefers-color-scheme: dark)")
  .addEventListener("change", () => repaints.forEach(act => act()));

/// Round numbers, no nearer to each other than they can be read.
function timeAxis(pen, left, width, bottom, until) {
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
