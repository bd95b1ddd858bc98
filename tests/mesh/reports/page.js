// A page of a run, opened and used without a browser: node page.js FILE [HASH]. Prints as JSON what
// it shows; whatever goes wrong in it is an error of this. Canvases count what is painted on them.
"use strict";
const { page, errors, painted } = require("./open_page.js").open(process.argv[2], process.argv[3]);
const { document, KeyboardEvent } = page.window;
const text = id => document.getElementById(id).textContent;
const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown",
  { key, bubbles: true }));
const about = text("about");
const clocks = [text("clock")];
for (const act of [() => document.getElementById("forward").click(), () => press("ArrowRight"),
                   () => press("ArrowLeft"), () => press("End"), () => press("Home")]) {
  act();
  clocks.push(text("clock"));
}
const [first] = document.querySelectorAll("#picture [tabindex='0']");
first.focus();
const on_node = key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
  { key, bubbles: true }));
const walked = ["ArrowRight", "ArrowDown", "Enter"].map(key => {
  on_node(key);
  return document.activeElement.getAttribute("aria-label");
});
const all = words => [...document.querySelectorAll(words)];
const drawn = { edges: all("#picture .edge").length, waits: all("#picture .wait").length,
                crosses: all("#picture .cross").length,
                labels: all("#picture .label").map(label => label.textContent) };
const seen = text("about");
const pointed = all("#picture .node").slice(0, 6).pop();
pointed.dispatchEvent(new page.window.MouseEvent("mouseenter"));
const hovered = text("about");
const beside = all("#picture .tag").map(tag => tag.textContent);
pointed.dispatchEvent(new page.window.MouseEvent("mouseleave"));
beside.push(...all("#picture .tag").map(tag => tag.textContent));
const left = text("about");
const lefts = () => all(".cursor").map(cursor => parseFloat(cursor.style.left));
press("Home");
const cursors = [lefts()];
press("End");
cursors.push(lefts());
all("#picture .node")[0].focus();
on_node("1"); // across port 1
const across = document.activeElement.getAttribute("aria-label");
const zoom = () => document.getElementById("picture").style.getPropertyValue("--zoom");
const zooms = [zoom(), ...["larger", "larger", "smaller", "smaller", "smaller"].map(id => {
  document.getElementById(id).click();
  return zoom();
})];
const selftest = document.getElementById("selftest");
console.log(JSON.stringify({
  errors, painted, clocks, verdict: text("verdict"), about,
  figures: [...document.querySelectorAll("#figures tr")].map(row =>
    [...row.children].map(cell => cell.textContent)),
  walked, zooms, stops: document.querySelectorAll("#picture [tabindex='0']").length,
  drawn, hovered, beside, left, cursors, across, hash: page.window.location.hash,
  pressed: all("#picture [aria-pressed='true']").map(node => node.getAttribute("aria-label")),
  unnamed: all("canvas").filter(canvas => canvas.id in painted &&
    !(canvas.getAttribute("role") === "img" && canvas.getAttribute("aria-label"))).length,
  hidden: all("main > section").filter(section => section.hidden).length,
  circle: text("circle"), chosen: seen, names: all("h3").map(name => name.textContent),
  nodes: document.querySelectorAll("#picture [tabindex]").length,
  high: parseFloat(document.getElementById("gantt").style.height),
  lines: [...document.querySelectorAll("#lines li")].map(line => line.textContent),
  selftest: selftest && JSON.parse(selftest.textContent)
}));
process.exit(errors.length === 0 ? 0 : 1);
