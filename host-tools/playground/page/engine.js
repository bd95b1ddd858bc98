// Calls of the mesh from the page, each in a worker of its own, which can be ended.
"use strict";

const SECONDS_MAX = 20; // as the host tool gives a rule that does not end

/// { call(call): promise of what callMesh() gives, stop() }.
function makeEngine() {
  const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const script = URL.createObjectURL(new Blob([document.getElementById("engine").textContent],
                                              { type: "text/javascript" }));
  const packed = bytes(document.getElementById("wasm").textContent.trim());
  const unpacked = new Response(new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const compiled = unpacked.then(binary => WebAssembly.compile(binary));
  let end = null;

  function stop() {
    if (end) end({ status: 1, lines: [], errors: [], files: {}, bytes: 0, stopped: true });
  }

  async function call(what) {
    stop();
    const wasm = await compiled;
    stop();
    return new Promise(done => {
      const worker = new Worker(script);
      const timer = setTimeout(() => finish({ status: 1, lines: [], files: {}, bytes: 0, errors: [
        what.rule ? "rule.js: children() does not end" : "the run does not end"] }),
                               SECONDS_MAX * 1000);
      const finish = result => {
        clearTimeout(timer);
        worker.terminate();
        end = null;
        done(result);
      };
      end = finish;
      worker.onmessage = ({ data }) => finish(data);
      worker.onerror = event => finish({ status: 1, lines: [], errors: [`mesh: ${event.message}`],
                                         files: {}, bytes: 0 });
      worker.postMessage({ wasm, call: what });
    });
  }
  return { call, stop };
}
