#!/usr/bin/python3
"""A poster of size A1 (594 x 841 mm) as one HTML file: poster.py OUT.html

Trees by levels, each with the lines of C++ that make it and the steps that a run took beside those
of the formula; runs in space and time; and what was found wrong in the papers. All of it is made by
the tool of $BUILD (build) when this runs, or taken from the sources and from
tests/bench/paper/README.md.
"""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import rules

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MESH = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "host" / "mesh"
PACKET = 64
# A tree, where it is drawn, how many packets are sent, and what is to be seen.
TREES = (
    ("sbt", "cube", 4, 12, "One packet doubles its nodes in each step: the root sends n times, its "
                           "largest child n-1 times."),
    ("msbt", "cube", 3, 12, "n binomial trees that share no link: the root deals its packets out, "
                            "and every link of the cube works."),
    ("tcbt", "cube", 4, 12, "A complete binary tree with two roots: no node but the first root "
                            "sends a packet more than twice."),
    ("sbnt-minr", "cube", 5, 12, "n subtrees of nearly one size: blocks for one node each leave "
                                 "the root by all ports, which end at about the same time."),
    ("bts", "uhc", 4, 12, "Links carry one way only. Shortest paths, the shallowest tree that "
                          "there is."),
    ("edt", "star", 4, 12, "n-1 trees that share no link: whichever n-2 nodes or cables die, "
                           "everybody is still reached."),
)
RUNS = (
    ("One binomial tree: 20 packets to 16 nodes", ("--dim", "4", "--op", "bcast", "--tree", "sbt",
                                                   "--bytes", "1280")),
    ("The same over four trees that share no link, on the same clock",
     ("--dim", "4", "--op", "bcast", "--tree", "msbt", "--bytes", "1280")),
    ("64 nodes sort: one exchange with a partner in each step", ("--dim", "6", "--op", "sort")),
)


def mesh(*words):
    done = subprocess.run([MESH, *map(str, words)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def inline(svg):
    """An svg that fills the width of its place."""
    svg = svg[svg.index("<svg"):]
    return re.sub(r'<svg ([^>]*?)(?: (?:width|height)="[^"]*")+', r"<svg \1", svg, count=1)


def cropped(svg):
    """The picture of trees, as high as they are; the name above one that stands alone is left out,
    as its heading has it."""
    tops = [float(top) for top in re.findall(r'<g transform="translate\(\S+ ([\d.]+)\)', svg)]
    below = max(float(y) for y in re.findall(r'cy="([-\d.]+)"', svg))
    above, wide = (20 if len(tops) == 1 else 60), re.search(r'viewBox="0 0 (\S+) ', svg)[1]
    box = f"0 {tops[0] - above} {wide} {above + below + 20}"
    return re.sub(r'viewBox="[^"]*"', f'viewBox="{box}"', svg, count=1)


def on_clock(svg, part):
    """A run in space and time, as long as `part` of the longest one: all share one scale of steps.
    Time begins where the lines of the nodes do."""
    begin = float(re.search(r'<line x1="([\d.]+)"', svg)[1])

    def moved(place):
        x = float(place[2])
        return f"{place[1]}{begin + (x - begin) * part if x > begin else x:.1f}"
    return re.sub(r'([ML]| x[12]?=")([\d.]+)', moved, svg)


def nameless(svg):
    """A run of so many nodes that their names could not be read: without them, and their place."""
    wide, high = re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups()
    begin = float(re.search(r'<line x1="([\d.]+)"', svg)[1]) - 10
    svg = re.sub(r'<text [^>]*text-anchor="end">.*\n', "", svg)
    return re.sub(r'viewBox="[^"]*"', f'viewBox="{begin} 0 {float(wide) - begin} {high}"', svg,
                  count=1)


def report_of(*words):
    return json.loads(mesh("run", "--engine", "sim", "--quiet", *words, "--packet", PACKET,
                           "--seed", "1", "--report", "-"))


def code_of(tree):
    """The shortest of the functions of a rule."""
    return min(rules.rule_of(tree), key=lambda part: part["code"].count("\n"))


def tree_figure(tree, network, dim, packets, words):
    size = ("--topology", network, "--dim", dim)
    picture = cropped(inline(mesh("tree", *size, "--tree", tree, "--layout", "levels", "--format",
                                  "svg")))
    results = report_of(*size, "--op", "bcast", "--tree", tree, "--bytes", packets * PACKET)
    part = code_of(tree)
    steps = f"{packets} packets to {results['verified_nodes']} nodes in {results['steps']} steps"
    if results.get("formula"):
        steps += f"; the formula {results['formula']} says {results['formula_steps']}"
    return (f'<figure><h3>{tree} <small>{network}, n = {dim}</small></h3>{picture}'
            f'<p>{html.escape(words)} <b>{html.escape(steps)}.</b></p>'
            f'<pre>{html.escape(part["code"])}</pre>'
            f'<p class="from">{part["file"]}:{part["line"]}; mesh tree --topology {network} '
            f'--dim {dim} --tree {tree} --layout levels --format svg</p></figure>')


def run(words, folder):
    """(steps, the picture in space and time) of a run."""
    capture = folder / "run.pcapng"
    sizes = () if "sort" in words else ("--packet", PACKET)
    report = json.loads(mesh("run", "--engine", "sim", "--quiet", *words, *sizes, "--seed", "1",
                             "--capture", capture, "--report", "-"))
    return report["steps"], inline(mesh("view", capture, "--format", "svg"))


def run_figure(title, words, steps, picture):
    return (f'<figure><h3>{html.escape(title)}: {steps} steps</h3>{picture}'
            f'<p class="from">mesh run --engine sim {" ".join(words)}; mesh view '
            f'--format svg</p></figure>')


def run_figures():
    """The steps of each of RUNS, and their figures: broadcasts on one clock, then the sort."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [(*titled, *run(titled[1], pathlib.Path(folder))) for titled in RUNS]
    steps = [of for *_, of, _ in runs]
    most = max(steps[:-1])
    pictures = [on_clock(picture, of / most) for *_, of, picture in runs[:-1]]
    pictures.append(nameless(runs[-1][-1]))
    return steps, "".join(run_figure(title, words, of, picture)
                          for (title, words, of, _), picture in zip(runs, pictures))


def errata():
    """The table of tests/bench/paper/README.md, as rows of cells."""
    text = (ROOT / "tests/bench/paper/README.md").read_text()
    table = text[text.index("| claim | printed |"):].split("\n\n", 1)[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [rows[0]] + rows[2:]


def marked(cell):
    """A cell of Markdown."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(cell))


def main():
    (one, many, _), runs = run_figures()
    trees = "".join(tree_figure(*tree) for tree in TREES)
    rows = errata()
    table = "".join("<tr>" + "".join(f"<{tag}>{marked(cell)}</{tag}>" for cell in row) + "</tr>"
                    for row, tag in [(rows[0], "th")] + [(row, "td") for row in rows[1:]])
    page = (HERE / "poster.html").read_text()
    for mark, part in (("@TREES@", trees), ("@RUNS@", runs), ("@ERRATA@", table),
                       ("@ONE@", str(one)), ("@MANY@", str(many))):
        page = page.replace(mark, part)
    pathlib.Path(sys.argv[1]).write_text(page)


if __name__ == "__main__":
    main()
