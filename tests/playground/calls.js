// Calls of the module in node.js: node calls.js MESH.js < calls as JSON. Each call is that of
// host-tools/playground/page/worker.js, or has `settings` of the page in place of words. Prints what
// each gives as JSON, with the files as text and its seconds, and the most memory that this process
// had.
"use strict";
const fs = require("fs");
const path = require("path");
const PAGE = path.resolve(__dirname, "../../host-tools/playground/page");
const { callMesh } = require(`${PAGE}/worker.js`);
const { fitted, wordsOf } = require(`${PAGE}/settings.js`);
const script = path.resolve(process.argv[2]);
const createMesh = require(script);
const wasm = new WebAssembly.Module(fs.readFileSync(script.replace(/js$/, "wasm")));
const instantiateWasm = (imports, done) => {
  WebAssembly.instantiate(wasm, imports).then(instance => done(instance, wasm));
  return {};
};

(async () => {
  const { calls, trees } = JSON.parse(fs.readFileSync(0, "utf8")), results = [];
  for (const call of calls) {
    const words = call.words || [...wordsOf(fitted(call.settings, trees)), ...call.more || []];
    const begun = performance.now();
    const result = await callMesh(createMesh, { ...call, words }, { instantiateWasm });
    const seconds = (performance.now() - begun) / 1000;
    for (const name in result.files) result.files[name] = Buffer.from(result.files[name]).toString();
    results.push({ words, seconds, ...result });
  }
  process.exitCode = 0; // emscripten has put the last call's status there
  console.log(JSON.stringify({ results, peak_kbyte: process.resourceUsage().maxRSS }));
})();
