#!/usr/bin/python3
"""Puts the page together: assemble.py MESH.js OUT.html.

MESH.js is the module that emscripten made, MESH.wasm lies beside it. What the page offers is asked
of the module itself (`mesh list`), the lines of C++ come from the sources (rules.py).
"""
import base64
import gzip
import json
import pathlib
import subprocess
import sys

import rules
from fill import filled

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "page"
CALL = """
const { callMesh } = require(process.argv[1]);
callMesh(require(process.argv[2]), { words: ["mesh", ...process.argv.slice(3)] })
  .then(result => console.log(JSON.stringify(result)));
"""


def listed(module, what):
    """[(name, phrase)] of `mesh list WHAT`, by the module that goes into the page."""
    done = subprocess.run(["node", "-e", CALL, PAGE / "worker.js", module, "list", what],
                          capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    if result["status"] != 0:
        raise SystemExit(f"mesh list {what}: {result['errors']}")
    rows = []
    for line in result["lines"]:
        if line[0].isspace():  # the rest of a long phrase
            rows[-1][1] += " " + line.strip()
        else:
            rows.append(line.split(None, 1))
    return rows


def with_tree():
    """The ops that have a tree, as the page knows them."""
    done = subprocess.run(["node", "-p", "require(process.argv[1]).WITH_TREE.join(' ')",
                           PAGE / "settings.js"], capture_output=True, text=True, check=True)
    return done.stdout.split()


def embedded(value):
    """JSON that may stand in a script element."""
    return json.dumps(value).replace("<", "\\u003c")


def main():
    module, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    trees = [(name, *phrase.split(": ", 1)) for name, phrase in listed(module, "trees")]
    ops = listed(module, "ops")
    text, parts = rules.all_rules(), rules.all_ops()
    for what, missing in (("trees", {name for name, *_ in trees} ^ set(text)),
                          ("ops", {name for name, _ in ops} ^ {*parts, *with_tree()})):
        if missing:
            raise SystemExit(f"rules.py and `mesh list {what}` differ: {sorted(missing)}")
    facts = {"trees": {name: network for name, network, _ in trees},
             "phrases": {name: phrase for name, _, phrase in trees},
             "ops": ops, "rules": text, "parts": parts,
             "first_rule": (PAGE / "first_rule.js").read_text()}
    scripts = "\n".join(f"<script>\n{(PAGE / name).read_text()}</script>"
                        for name in ("settings.js", "engine.js", "playground.js"))
    engine = module.read_text() + (PAGE / "worker.js").read_text()
    if "</script" in engine:
        raise SystemExit(f"{module}: </script in it would end its place in the page")
    wasm = gzip.compress(module.with_suffix(".wasm").read_bytes(), mtime=0)
    page = filled((PAGE / "playground.html").read_text(),
                  {"@STYLE@": (PAGE / "playground.css").read_text(), "@FACTS@": embedded(facts),
                   "@SCRIPTS@": scripts, "@ENGINE@": engine,
                   "@WASM@": base64.b64encode(wasm).decode()})
    output.write_text(page)
    print(f"{output}: {len(page) / 1e6:.2f} MB, opens in any browser without a network")


if __name__ == "__main__":
    main()
