"""Draws two broadcasts of the same file on one axis: how many links carry a packet in each step.

`python3 tests/tools/steps_svg.py` runs both with build/host/mesh, takes the steps from their
captures and writes the picture of README.md to standard output. The same seed gives the same bytes.
"""
import collections
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESH = ROOT / os.environ.get("BUILD", "build") / "host" / "mesh"
JOB = ["--engine", "sim", "--dim", "6", "--op", "bcast", "--bytes", "61440", "--seed", "1"]
TREES = {"sbt": ("one binomial tree", "#d55e00"),
         "msbt": ("six trees that share no link", "#0072b2")}
LEFT, STEP, HIGH, GAP = 14, 10, 110, 30 # pixels; HIGH is the height of the most links at once
STYLE = "text{font:14px sans-serif}.small{font-size:12px;fill:#555}.end{font-weight:bold}"


def links_at_work(tree, folder):
    """{step: packets that come to a node in it}."""
    capture = folder / f"{tree}.pcapng"
    subprocess.run([MESH, "run", *JOB, "--tree", tree, "--capture", capture], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL)
    text = subprocess.run([MESH, "view", capture, "--format", "text"], check=True,
                          capture_output=True, text=True).stdout
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    steps = collections.Counter(round(float(row[0])) for row in rows
                                if len(row) > 3 and row[3] == "data")
    del steps[0] # words that nodes have begun, which take no time
    return steps


def picture(works):
    """The whole svg. `works`: {tree: {step: links}}."""
    most = max(max(work.values()) for work in works.values())
    last = max(max(work) for work in works.values())
    wide = LEFT + (last + 5) * STEP
    high = sum(HIGH * max(work.values()) / most + GAP for work in works.values()) + 44
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high:.0f}" '
           f'width="{wide}" height="{high:.0f}">\n<style>{STYLE}</style>\n'
           f'<rect width="{wide}" height="{high:.0f}" fill="white"/>\n')
    floor = 0
    for tree, work in works.items():
        words, color = TREES[tree]
        floor += HIGH * max(work.values()) / most + GAP
        steps = max(work)
        beside = steps < last / 2 # the bars: there is room for the words
        x, y = (LEFT + (steps + 4) * STEP, floor - 40) if beside else (
            LEFT, floor - HIGH * max(work.values()) / most - 8)
        yield (f'<text x="{x}" y="{y:.1f}">{words} ({tree}): {steps} steps, at most '
               f'{max(work.values())} links at work</text>\n')
        for step, links in sorted(work.items()):
            tall = HIGH * links / most
            left = LEFT + (step - 1) * STEP
            yield (f'<rect x="{left}" y="{floor - tall:.1f}" width="{STEP - 1}" '
                   f'height="{tall:.1f}" fill="{color}"/>\n')
        yield (f'<text class="end" x="{LEFT + steps * STEP + 4}" y="{floor - 3:.1f}">'
               f'{steps}</text>\n<path d="M{LEFT} {floor + 0.5:.1f}H{LEFT + last * STEP}" '
               f'stroke="#888"/>\n')
    for step in range(0, last + 1, 5):
        yield (f'<text class="small" x="{LEFT + step * STEP}" y="{high - 24:.0f}" '
               f'text-anchor="middle">{step}</text>\n')
    yield (f'<text class="small" x="{LEFT}" y="{high - 7:.0f}">steps of the model clock</text>\n'
           f'</svg>\n')


def main():
    with tempfile.TemporaryDirectory() as folder:
        works = {tree: links_at_work(tree, pathlib.Path(folder)) for tree in TREES}
    assert len({sum(work.values()) for work in works.values()}) == 1, "both bring the same packets"
    print("".join(picture(works)), end="")


if __name__ == "__main__":
    main()
