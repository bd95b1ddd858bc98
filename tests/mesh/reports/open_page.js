// Opens the page of a run without a browser. Canvases count what is painted on them.
"use strict";
const { JSDOM, VirtualConsole } = require("jsdom");
const fs = require("fs");

const painted = {};
const errors = [];
const messages = new VirtualConsole();
messages.on("jsdomError", error => errors.push(error.message));
messages.on("error", error => errors.push(String(error)));

function pen(id) {
  return new Proxy({ measureText: words => ({ width: 6 * words.length }) }, {
    get: (kept, name) => name in kept ? kept[name] : () => { ++painted[id]; },
    set: (kept, name, value) => { kept[name] = value; return true; }
  });
}

function beforeParse(window) {
  window.HTMLCanvasElement.prototype.getContext = function () {
    painted[this.id] = painted[this.id] || 0;
    return pen(this.id);
  };
  window.matchMedia = () => ({ matches: false, addEventListener() {} });
}

/// { page, errors, painted }; the hash is what stands behind the page's address.
function open(file, hash) {
  const page = new JSDOM(fs.readFileSync(file, "utf8"), {
    url: `file:///page.html${hash || ""}`, runScripts: "dangerously",
    pretendToBeVisual: true, virtualConsole: messages, beforeParse });
  return { page, errors, painted };
}

module.exports = { open };
