"""The pages keep their word: every command in a README runs, and prints what is quoted there.

Three things in a page are checked:

- a line `$ command` in a ```console block is run in a shell, in a fresh folder in which the files
  of the repository are to be found; the lines below it are its output. What a clock has measured
  is not compared, and a line `...` stands for any lines.
- a command that ends in "with" or "with ..." before a table is run for each cell: with the options
  that open the row, and those that head the column. The cell begins with the steps.
- a make target that is named must exist.
"""
import json
import re
import shlex
import subprocess

import pytest

from mesh_tool import BUILD, ROOT

PAGES = sorted(path for name in ("README.md", "ARCHITECTURE.md") for path in ROOT.rglob(name)
               if not {"build", ".git"} & set(path.relative_to(ROOT).parts))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Times and rates, which differ from run to run, and the bytes of an image, with the blocks in which
# it is loaded, which differ from compiler to compiler.
CLOCK = re.compile(r"\b\d+(\.\d+)?(?= (?:s|hops/s|min|bytes into|blocks, \d+ steps)\b)|"
                   r"(?<=blocks, )\d+(?= steps)")
# What is said while one waits.
PROGRESS = re.compile(r"^(?:ready|prepared|running): .*\n|^ +\w+ +build/.*\n", re.MULTILINE)
# These would run all tests, or hours, or need another machine; that they exist is checked.
NOT_HERE = ("make test", "make fresh", "make bench", "make paper", "make fuzz", "make verify",
            "sudo ", "make deb", "make install")
TABLE = re.compile(r"`(build/host/mesh run [^`]*)`[^`\n]* with\n\n((?:\|.*\n)+)")
STEPS = re.compile(r"(\d+)\b")


def name_of(page):
    return str(page.relative_to(ROOT))


def commands_in(page):
    """(command, quoted lines) of every console block."""
    for language, block in FENCE.findall(page.read_text()):
        if language != "console":
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.strip()
            yield re.sub(r"\s+#.*$", "", command), output.splitlines()


def pattern_of(lines):
    """What must be printed, as a regular expression; clocks and gaps are free."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        text = re.sub(r"\s+", r"\\s+", re.escape(CLOCK.sub("0", line)).replace(r"\ ", " "))
        parts.append(text + r"\n")
    return re.compile("".join(parts) + r"\Z")


COMMANDS = {page: list(commands_in(page)) for page in PAGES}


@pytest.fixture
def folder(tmp_path):
    """A folder like the repository's, so that what a command writes is not left there."""
    place = tmp_path / "readme"
    place.mkdir()
    for entry in ROOT.iterdir():
        if entry.name != ".git":
            (place / entry.name).symlink_to(entry)
    if BUILD.name != "build" and not (place / "build").exists():
        (place / "build").symlink_to(BUILD)
    return place


def test_the_pages_have_commands_and_tables():
    assert sum(map(len, COMMANDS.values())) >= 10
    assert sum(len(TABLE.findall(page.read_text())) for page in PAGES) >= 4


@pytest.mark.toolchain
@pytest.mark.parametrize("page", [page for page in PAGES if COMMANDS[page]], ids=name_of)
def test_the_commands_of_a_page_print_what_it_quotes(page, folder):
    """One after the other, as a reader types them: some need the files of those before."""
    for command, lines in COMMANDS[page]:
        if command.startswith(NOT_HERE):
            continue # checked by the names of its targets
        done = subprocess.run(["bash", "-c", command], cwd=folder, timeout=300, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL)
        said = CLOCK.sub("0", PROGRESS.sub("", done.stdout))
        shown = f"{name_of(page)}: {command}\nexit {done.returncode}\n{said}"
        if lines:
            assert pattern_of(lines).match(said), shown
        else:
            assert done.returncode == 0, shown


def cells_in(table):
    """(options, steps) of every cell that gives steps."""
    rows = [[cell.strip() for cell in row.strip().strip("|").split("|")]
            for row in table.strip().splitlines()]
    for row in rows[2:]:
        options = row[0].strip("`")
        for head, cell in zip(rows[0][1:], row[1:]):
            counted = STEPS.match(cell)
            if (head == "steps" or head.startswith("`")) and counted:
                yield f"{options} {head.strip('`') if head != 'steps' else ''}", int(counted[1])


CELLS = [(page, command, options, steps) for page in PAGES
         for command, table in TABLE.findall(page.read_text())
         for options, steps in cells_in(table)]


@pytest.mark.parametrize("page, command, options, steps", CELLS,
                         ids=[f"{cell[1].split('mesh run ')[1]} {cell[2]}" for cell in CELLS])
def test_a_table_gives_the_steps_that_its_command_measures(page, command, options, steps, tmp_path):
    report = tmp_path / "report.json"
    done = subprocess.run([*shlex.split(f"{command} {options}"), "--report", report], cwd=ROOT,
                          timeout=120, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{name_of(page)}: {command} {options}\n{done.stderr}"
    assert json.loads(report.read_text())["steps"] == steps, f"{name_of(page)}: {options}"


def test_every_make_target_that_a_page_names_exists():
    makefile = (ROOT / "Makefile").read_text() + "".join(
        path.read_text() for path in ROOT.rglob("*.mk"))
    known = set(re.findall(r"^([a-z][a-z_.-]*):", makefile, re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"`make ([a-z][a-z-]*)\b(?!/)", page.read_text()):
            assert target in known, f"{name_of(page)}: make {target}"


def test_the_readme_fits_two_minutes():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_the_figures_of_the_three_promises_are_printed_by_commands():
    """Of the page, or of the one to which it sends those who want to try more."""
    text = (ROOT / "README.md").read_text()
    promises = re.search(r"^- \*\*.*?(?=\n\n)", text, re.M | re.S)[0]
    assert len(re.findall(r"^- \*\*", promises, re.M)) == 3
    printed = "\n".join(line for page in (ROOT / "README.md", ROOT / "host-tools/mesh/README.md")
                        for _, lines in COMMANDS[page] for line in lines)
    figures = re.findall(r"\b\d+\b", promises)
    assert figures and not [word for word in figures if not re.search(rf"\b{word}\b", printed)]


def test_the_page_names_those_who_wrote_the_papers():
    text = (ROOT / "README.md").read_text()
    papers = (ROOT / "firmware/core/PAPERS.md").read_text()
    for authors in re.findall(r"^\| `[\w-]+` \| ([^:|]+): [^|]+\d \|$", papers, re.M):
        for name in re.findall(r"[A-Z][a-z]+", authors):
            assert name in text, name
