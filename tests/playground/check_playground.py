#!/usr/bin/python3
"""The mesh in a page against the host tool: check_playground.py BUILD.

Every op, tree, network and port model at small sizes, with and without faults, by the command lines
that the page makes: the reports are the same in every key but times, the command, the memory of
coroutines, whose pointers have 4 bytes there, and the last bits of fft. Then rules in JavaScript,
right and wrong; last the figures of README.md: sizes, times, and 256 nodes in 300 MB. A line a case
that fails; ends with "N passed, N failed".
The page itself is opened by check_page.py.
"""
import gzip
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
APART = ("boot_s", "wall_s", "clock", "command", "counters.arena_bytes_max")
# Sines come from another C library, and differ in their last bits.
APART_IN_FFT = ("delivery_hash", "error")
PEAK_KBYTE_MAX = 300 * 1024
SIZES = {"cube": (3,), "uhc": (3, 4), "star": (3,)}
STORM = {"loss": 20, "seed": 7}
BINOMIAL = """function children(node, source, n) {
  const relative = node ^ source, list = [];
  for (let bit = 0; bit < n; ++bit) if (relative >> bit === 0) list.push(node ^ 1 << bit);
  return list;
}"""
# A change of the rule above, and what is said of it; of a cube of 16.
WRONG_RULES = (
    ("relative >> bit === 0", "relative >> bit <= 1",
     "./rule.js:1: the root, node 0 (0000), is fed by node 1 (0001)"),
    ("list.push(node ^ 1 << bit)", "list.push(node ^ 3 << bit)",
     "./rule.js:1: node 0 (0000) sends to node 3 (0011), to which it has no link"),
    ("let bit = 0", "let bit = 1", "./rule.js:1: node 1 (0001) is never fed, nor are 7 others"),
    ("return list", "return 7", "./rule.js:1: children(0, 0, 4): does not return a list"),
    ("node ^ source", "node", "./rule.js:1: the tree of root 1"),
    ("node ^ source", "nude ^ source", "./rule.js:1: children(0, 0, 4): nude is not defined"),
    ("bit < n", "bit <= n", "./rule.js:1: node 0 (0000) sends to something that is no node"),
    ("list.push(node ^ 1 << bit)", "list.push(node ^ 1 << bit, node ^ 1 << bit)",
     "./rule.js:1: node 0 (0000) sends to node 1 (0001) twice"),
    ("return list", "return [list[1], list[0], ...list.slice(2)].filter(x => x !== undefined)",
     "./rule.js:1: node 0 (0000) sends in an order"),
)


def flat(report, before=""):
    for key, value in report.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        elif before + key not in APART:
            yield before + key, value


class Checks:
    def __init__(self, build):
        self.mesh = build / "host" / "mesh"
        self.module = build / "playground" / "mesh.js"
        self.passed = self.failed = 0
        listed = subprocess.run([self.mesh, "list", "trees"], capture_output=True, text=True,
                                check=True).stdout.splitlines()
        self.trees = {line.split()[0]: line.split()[1].rstrip(":") for line in listed
                      if not line[0].isspace()}
        listed = subprocess.run([self.mesh, "list", "ops"], capture_output=True, text=True,
                                check=True).stdout.splitlines()
        self.ops = [line.split()[0] for line in listed if not line[0].isspace()]

    def note(self, good, words):
        self.passed += good
        self.failed += not good
        if not good:
            print(f"failed: {words}", flush=True)

    def call(self, calls):
        done = subprocess.run(["node", HERE / "calls.js", self.module], text=True, check=True,
                              input=json.dumps({"calls": calls, "trees": self.trees}),
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def settings(self):
        base = {"ports": "all", "root": 0, "packets": 3, "loss": 0, "seed": 1, "kill": [],
                "cut": []}
        for network, dims in SIZES.items():
            first = next(tree for tree, of in self.trees.items() if of == network)
            for dim in dims:
                here = {**base, "topology": network, "dim": dim, "tree": first}
                yield from ({**here, "op": op} for op in self.ops)
                yield from ({**here, "op": op, "tree": tree, "root": 1, "ports": ports}
                            for tree, of in self.trees.items() if of == network
                            for op, ports in (("bcast", "all"), ("bcast", "half"),
                                              ("scatter", "all"), ("reduce", "duplex")))
                yield from ({**here, "op": op, **STORM} for op in ("bcast", "alltoall", "sort"))
                yield {**here, "op": "bcast", "kill": [2]}
                yield {**here, "op": "bcast", "cut": ["0/1"], "packets": 9}
        yield {**base, **STORM, "topology": "cube", "dim": 5, "tree": "msbt", "op": "bcast"}

    def compare_reports(self):
        results = self.call([{"settings": settings, "more": ["--report", "r.json"],
                              "wanted": ["r.json"]} for settings in self.settings()])["results"]
        for result in results:
            words = " ".join(result["words"][1:-2])
            tool = subprocess.run([self.mesh, *result["words"][1:-1], "-"], capture_output=True,
                                  text=True, check=False)
            if not tool.stdout:  # a combination that there is not: refused in the same words
                said = tool.stderr.strip().splitlines()[-1:]
                self.note(result["errors"][-1:] == said and result["status"] == tool.returncode,
                          f"{words}: page {result['errors']}, tool {said}")
                continue
            ours = dict(flat(json.loads(result["files"].get("r.json", "{}"))))
            theirs = dict(flat(json.loads(tool.stdout)))
            apart = [f"{key}: page {ours.get(key)}, tool {theirs.get(key)}"
                     for key in {**ours, **theirs} if ours.get(key) != theirs.get(key) and
                     not ("fft" in result["words"] and key in APART_IN_FFT)]
            self.note(not apart and result["status"] == tool.returncode,
                      f"{words}: {'; '.join(apart)[:300]}")
        refused = sum("r.json" not in result["files"] for result in results)
        print(f"{len(results)} command lines, {refused} of them refused by both")
        self.note(len(results) > 3 * refused, "most command lines of the page are runs")

    def check_rules(self):
        words = ["mesh", "run", "--engine", "sim", "--dim", "4", "--op", "bcast", "--bytes", "512",
                 "--packet", "64", "--quiet", "--seed", "1", "--report", "r.json", "--tree"]
        rules = [BINOMIAL] + [BINOMIAL.replace(old, new) for old, new, _ in WRONG_RULES]
        results = self.call([{"words": [*words, "sbt"], "wanted": ["r.json"]}] +
                            [{"words": [*words, "./rule.js"], "wanted": ["r.json"], "rule": rule}
                             for rule in rules])["results"]
        sbt, own = (json.loads(result["files"].get("r.json", "{}")) for result in results[:2])
        self.note(sbt.get("steps") and all(sbt.get(key) == own.get(key) for key in (
            "steps", "hops", "link_packets", "finish_time", "verified_nodes")),
                  f"the binomial tree in JavaScript runs as sbt does: {results[1]['errors']}")
        for (_, new, expected), result in zip(WRONG_RULES, results[2:]):
            said = " ".join(result["errors"])
            self.note(expected in said and result["status"] == 2,
                      f"{new}: {said!r}, not {expected}")

    def check_figures(self):
        page = self.module.with_name("playground.html").read_bytes()
        print(f"{len(page) / 1e6:.2f} MB of HTML, {len(gzip.compress(page)) / 1e6:.2f} MB by gzip")
        for dim in (4, 6, 8):
            answer = self.call([{"words": ["mesh", "run", "--engine", "sim", "--dim", str(dim),
                                           "--op", "bcast", "--bytes", "61440", "--quiet",
                                           "--capture", "r.pcapng", "--report", "r.html"]}])
            [result], peak = answer["results"], answer["peak_kbyte"]
            print(f"{2 ** dim} nodes, 60 packets, run and page: {result['seconds']:.2f} s, "
                  f"{peak // 1024} MB of the whole process, {result['bytes'] >> 20} MB reserved")
            self.note(result["status"] == 0 and peak < PEAK_KBYTE_MAX,
                      f"{2 ** dim} nodes need {peak} kB: {result['errors']}")


def main():
    checks = Checks(pathlib.Path(sys.argv[1]).resolve())
    checks.compare_reports()
    checks.check_rules()
    checks.check_figures()
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
