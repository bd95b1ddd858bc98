"""The targets of make: the job of README.md, one board, a command for every source."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import boards
import needed

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = os.environ.get("BUILD", "build")
BOARDS = boards.names(BUILD)
MADE = set(BOARDS) - boards.with_no_images()


def make(*arguments):
    return subprocess.run(["make", "--no-print-directory", *arguments], cwd=ROOT,
                          capture_output=True, text=True)


def compiled(tmp_path, *arguments):
    """Objects that make would compile in a folder that has nothing yet, for all boards."""
    plan = make("--dry-run", "SAMPLE=", f"BUILD={tmp_path / 'build'}", "V=1", *arguments)
    assert plan.returncode == 0, plan.stderr
    return set(re.findall(rf" -c \S+ -o {tmp_path}/build/(\S+)", plan.stdout))


def boards_of(objects):
    return {name.split("/")[0] for name in objects} - {"host"}


def test_a_run_compiles_what_it_runs(tmp_path):
    everything = compiled(tmp_path, "all")
    of_a_run = compiled(tmp_path, "run")
    assert boards_of(of_a_run) == {BOARDS[0]} and boards_of(everything) == MADE
    assert len(of_a_run) < len(everything) * 2 / 5
    # With what a program of one's own is linked with.
    assert f"{BOARDS[0]}/obj/traced/scheduler.o" in of_a_run
    assert boards_of(compiled(tmp_path, "run", "ENGINE=sim")) == set()
    assert boards_of(compiled(tmp_path, "run", f"BOARD={BOARDS[1]}")) == {BOARDS[1]}
    assert compiled(tmp_path, "run", "ARGS=--board whatever") == everything


@pytest.mark.parametrize("target", ["all", "test-programs", "conform"])
def test_one_board_alone_is_made(target, tmp_path):
    made = boards_of(compiled(tmp_path, target, f"BOARD={BOARDS[1]}"))
    assert made & set(BOARDS) == {BOARDS[1]}


@pytest.mark.toolchain
def test_a_board_that_is_none_is_refused_with_those_that_there_are():
    outcome = make("BOARD=nonesuch")
    assert outcome.returncode != 0
    assert f"there is no board 'nonesuch', only: {' '.join(BOARDS)}" in outcome.stderr


NEEDS = { # the names here are none of these words
    "one program": ("LinkAnswers", {f"{BUILD}/asan/tests/kernel"}),
    "whole runs": ("test_dry_run", {"test-images"}),
    "both": ("test_dry_run or test_house", {"test-programs"}),
    "nothing": ("nosuchwordatall", {"test-programs"})}


@pytest.mark.parametrize("kind", NEEDS)
def test_words_of_tests_make_what_these_need(kind):
    words, wanted = NEEDS[kind]
    assert needed.targets(BUILD, words) == wanted


def test_a_program_that_is_not_built_is_one_failed_case(tmp_path):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/test_googletest.py", "-k",
                           "LinkAnswers"], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "BUILD": str(tmp_path)})
    assert "0 passed, 1 failed" in done.stdout and "not built: make " in done.stdout, done.stdout


def test_words_of_tests_go_with_a_board():
    plan = make("--dry-run", "test", "TEST=one or another", f"BOARD={BOARDS[1]}").stdout
    assert f"-k '(one or another) and {BOARDS[1]}'" in plan


@pytest.mark.toolchain
def test_help_begins_with_what_one_does_first():
    lines = make("help").stdout.splitlines()
    assert [line.split()[1] for line in lines[:2]] == ["run", "test"]
    assert lines[2:] == sorted(lines[2:]) and len(lines) > 20


def test_every_source_has_a_command_for_editors():
    listed = {entry["file"] for entry in json.loads((ROOT / "compile_commands.json").read_text())}
    there = {str(file.relative_to(ROOT))
             for folder in ("firmware", "boards", "host-tools", "tests")
             for file in (ROOT / folder).rglob("*.cpp")}
    # Wrong programs; parts of a user's; what students begin with and hand in; of a page, of MPI.
    others = ("tests/compile_fail/", "firmware/ops/own/", "firmware/labs/", "tests/labs/",
              "host-tools/playground/", "host-tools/mpi/", "tests/mesh/mpi/", "tests/mesh/ranks/",
              "tests/mesh/programs/")
    there = {name for name in there if not name.startswith(others)}
    assert listed - {f"{BUILD}/readme/app.cpp"} == there
