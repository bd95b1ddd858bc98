"""CONTRIBUTING.md lists the files that a change of each kind touches: just these, today."""
import pathlib
import re
import subprocess

import pytest

import walk

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def listed(title):
    """The files that the page lists below a heading."""
    section = re.search(rf"^### {title}\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)[1]
    return set(re.findall(r"^- `([^`]+)`", section, re.M))


@pytest.mark.parametrize("kind", walk.ASKED)
def test_the_files_of_a_change_are_those_that_are_listed(kind):
    assert listed(f"An? {kind}") == walk.files_of(kind)


@pytest.mark.parametrize("kind", walk.ASKED)
def test_a_change_of_each_kind_still_applies(kind):
    done = subprocess.run(["patch", "-p1", "--dry-run", "--fuzz=0", "-i",
                           walk.patch_of(kind)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_diary_has_the_files_and_lines_of_each_walk():
    diary = (walk.WALKS / "README.md").read_text()
    rows = re.findall(r"^\| (?:an? )?([\w ]+) \| (\d+) \| (\d+) \|", diary, re.M)
    assert [(kind, int(files), int(lines)) for kind, files, lines in rows] == [
        (kind, len(walk.files_of(kind)), walk.lines_of(kind)) for kind in walk.ASKED]


def test_an_app_is_one_file():
    assert listed("An app") == {"firmware/apps/NAME.cpp"}
    for app in (ROOT / "firmware/apps").iterdir():
        assert app.suffix in (".cpp", ".md"), app


@pytest.mark.parametrize("board", ["mps2-an385", "netduinoplus2", "ast1030-evb",
                                   "mps3-an547", "lm3s6965evb"])
def test_a_board_of_a_chip_that_is_known_is_the_files_that_are_listed(board):
    there = {f"boards/NAME/{file.name}" for file in (ROOT / "boards" / board).iterdir()}
    assert (ROOT / f"linker/{board}.ld").is_file()
    assert listed("A board") - {"linker/NAME.ld"} == there - {
        "boards/NAME/flash.hpp"} # of a loader that keeps images


def test_the_versions_of_the_pages_are_those_of_the_tool():
    tool = re.search(r'kVersion = "([^"]+)"',
                     (ROOT / "host-tools/mesh/common/version.hpp").read_text())[1]
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == tool
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGES").read_text(), re.M)
    assert tool in headings[:2], headings # behind what is not released yet


def test_every_paper_of_the_rules_is_cited():
    papers = (ROOT / "firmware/core/PAPERS.md").read_text()
    titles = re.findall(r"^\| `[\w-]+` \| [^:|]+: ([^.|]+)\.", papers, re.M)
    cited = (ROOT / "CITATION.cff").read_text()
    assert len(titles) == 5 and not [title for title in titles if f"title: {title}\n" not in cited]
