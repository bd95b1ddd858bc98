// The page of a run asks to whom its nodes send: node ask.js FILE HASH ACTS. Acts are a JSON list:
// the number of a node is a click on it, "Enter 5" the key on that node, another word a click on
// the element of that name. Prints as JSON what the page shows at first and after each act.
"use strict";
const { page, errors } = require("./open_page.js").open(process.argv[2], process.argv[3]);
const { document, KeyboardEvent, MouseEvent } = page.window;
const all = words => [...document.querySelectorAll(words)];
const node = number => all("#picture .node")[number];

function shown() {
  return { lines: all("#about p").map(line => line.textContent),
           edges: all("#picture .edge").length,
           asked: all("#picture .node").flatMap((one, number) =>
             one.classList.contains("asked") ? [number] : []),
           full: all("#picture rect").filter(level => Number(level.getAttribute("y")) < 0).length,
           hash: page.window.location.hash, asks: document.body.classList.contains("asking") };
}

const states = [shown()];
for (const act of JSON.parse(process.argv[4])) {
  const [key, number] = String(act).split(" ");
  if (typeof act === "number") node(act).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  else if (number !== undefined)
    node(Number(number)).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  else document.getElementById(act).click();
  states.push(shown());
}
console.log(JSON.stringify({ states, errors }));
process.exit(errors.length === 0 ? 0 : 1);
