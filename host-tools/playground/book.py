#!/usr/bin/python3
"""All labs of the course as one HTML file: book.py OUT.html [PLAYGROUND.html]

The pages of firmware/labs, by pandoc, with the drawings that their commands make, but for those of
a student's program, and with moments of the playground: runs of which a chapter speaks, at the
place where it does. The file that `make playground` makes is in the book, once, and opens in a
frame when a reader asks for it; without that file moments are links to where `make playground` puts
it. The tool of $BUILD (build) draws.
"""
import html
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from fill import filled

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LABS = ROOT / "firmware" / "labs"
MESH = pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "host" / "mesh"
LINK = "playground/playground.html"
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
PICTURE = re.compile(r"--format svg > (\S+)$", re.M)
OF_STUDENT = re.compile(r"\b(given|answer)\.")
# Lab and section, what is to be seen, and the address of the playground that shows it.
MOMENTS = (
    ("01-addresses", "The rule", "Find the tree of 16 nodes: click those to which a node sends.",
     "ask=1"),
    ("01-addresses", "Steps", "20 packets over one tree, beside the same over four trees that "
                              "share no link.", "tree=msbt&packets=20&beside=packets%3D20"),
    ("05-cost", "Questions", "8 packets to 8 nodes: which link works when?", "dim=3"),
    ("07-sums", "Running sums", "Each node's partner in each step, and what it adds.",
     "dim=3&op=scan&packets=1"),
    ("08-bitonic", "The picture", "8 nodes sort: who keeps the smaller value, and why.",
     "dim=3&op=sort&packets=1"),
    ("10-detector", "The picture", "Node 2 is dead, and nobody told its neighbours.",
     "dim=2&packets=2&kill=2"),
    ("12-router", "The picture", "A parcel of each of 8 nodes for each other one.",
     "dim=3&op=alltoall&packets=1"),
)


def drawings(commands):
    """The svgs that a page's commands write, as figures; none if they want a student's program."""
    if not PICTURE.search(commands) or OF_STUDENT.search(commands):
        return []
    with tempfile.TemporaryDirectory() as folder:
        script = f'mesh() {{ {shlex.quote(str(MESH))} "$@"; }}\n{commands}'
        done = subprocess.run(["bash", "-ec", script], cwd=folder, capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise SystemExit(f"{commands}{done.stderr}")
        svgs = [(pathlib.Path(folder) / name).read_text() for name in PICTURE.findall(commands)]
    return [f"<figure>{svg[svg.index('<svg'):]}</figure>" for svg in svgs]


def moment(words, address):
    return (f'<p class="moment"><a href="{LINK}#{html.escape(address)}">'
            f"Try it: {html.escape(words)}</a></p>")


def embedded(playground):
    """A page as a string of JavaScript that may stand in a script element."""
    return json.dumps(playground).replace("<", "\\u003c")


class Book:
    """Markdown of all pages; what pandoc must not touch is kept aside, with a mark in its place."""

    def __init__(self):
        self.aside = []

    def mark(self, text):
        self.aside.append(text)
        return f"\n\nASIDE{len(self.aside) - 1}ASIDE\n\n"

    def chapter(self, lab):
        number, page = int(lab.name.split("-")[0]), (lab / "README.md").read_text()
        page = page.replace("# ", f"# {number}. ", 1)
        page = COMMANDS.sub(lambda block: block[0] + "".join(
            self.mark(drawing) for drawing in drawings(block[1])), page)
        sections = re.split(r"^(?=## )", page, flags=re.M)
        for of, title, words, address in MOMENTS:
            for at, section in enumerate(sections):
                if of == lab.name and section.startswith(f"## {title}"):
                    sections[at] += self.mark(moment(words, address))
        return "".join(sections)

    def markdown(self):
        course = (LABS / "README.md").read_text()
        before, teachers = course.split("## For teachers\n")
        labs = sorted(path.parent for path in LABS.glob("*/check.toml"))
        return "\n\n".join([before, *map(self.chapter, labs), f"# For teachers\n{teachers}"])

    def body(self):
        done = subprocess.run(["pandoc", "-f", "gfm", "-t", "html5", "--no-highlight",
                               "--wrap=none"],
                              input=self.markdown(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"pandoc: {done.stderr}")
        body = re.sub(r"<p>ASIDE(\d+)ASIDE</p>", lambda at: self.aside[int(at[1])], done.stdout)
        # Links of the pages into the sources are not in the book.
        body = re.sub(r'<a\s+href="(?!#|playground/|https?:)[^"]*"[^>]*>(.*?)</a>', r"\1", body,
                      flags=re.S)
        return re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', body, flags=re.S)


def main():
    if shutil.which("pandoc") is None:
        raise SystemExit("book: needs pandoc: apt-get install pandoc")
    output, *playground = map(pathlib.Path, sys.argv[1:])
    body = Book().body()
    chapters = re.findall(r'<h1 id="([^"]*)">(.*?)</h1>', body, re.S)
    contents = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in chapters[1:])
    page = filled((HERE / "book" / "book.html").read_text(),
                  {"@STYLE@": (HERE / "book" / "book.css").read_text(), "@CONTENTS@": contents,
                   "@BODY@": body, "@SCRIPT@": (HERE / "book" / "book.js").read_text(),
                   "@PLAYGROUND@": embedded(playground[0].read_text()) if playground else "null"})
    output.write_text(page)
    print(f"{output}: {len(chapters) - 2} labs, {len(page) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
