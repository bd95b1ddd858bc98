// One call of the mesh, in a worker or in node.js: a module is made, called once and dropped, with
// all memory that it took.
"use strict";

/// The function of a student's text; throws what is wrong with it.
function ruleFrom(text) {
  const rule = new Function(`"use strict";\n${text}\nreturn children;`)();
  if (typeof rule !== "function") throw new Error("children is no function");
  return rule;
}

/// `call`: { words, files, wanted, rule }. The words begin with the program's name; `files` are put
/// there before, as { name: bytes or text }; those of `wanted` are given back. `rule` is the text of
/// rule.js, if the words name it. Gives { status, lines, errors, files, bytes }.
async function callMesh(makeModule, call, more) {
  const lines = [], errors = [], files = {};
  const module = await makeModule({
    thisProgram: call.words[0], print: line => lines.push(line), printErr: line => errors.push(line),
    ...more });
  const { FS } = module;
  FS.chdir("/tmp");
  for (const [name, content] of Object.entries(call.files || {})) FS.writeFile(name, content);
  let status = 2;
  try {
    if (call.rule) {
      FS.writeFile("rule.js", call.rule);
      module.rule = ruleFrom(call.rule);
    }
    status = module.callMain(call.words.slice(1));
  } catch (error) {
    errors.push(call.rule && !module.rule ? `rule.js: ${error.message}` : `mesh: ${error.message}`);
  }
  for (const name of call.wanted || [])
    if (FS.analyzePath(name).exists) files[name] = FS.readFile(name);
  return { status, lines, errors, files, bytes: module.wasmMemory.buffer.byteLength };
}

if (typeof importScripts === "function")
  self.onmessage = async ({ data: { wasm, call } }) => {
    const instantiateWasm = (imports, done) => {
      WebAssembly.instantiate(wasm, imports).then(instance => done(instance, wasm));
      return {};
    };
    self.postMessage(await callMesh(createMesh, call, { instantiateWasm })
      .catch(error => ({ status: 1, lines: [], errors: [`mesh: ${error}`], files: {}, bytes: 0 })));
  };
if (typeof module !== "undefined") module.exports = { callMesh, ruleFrom };
