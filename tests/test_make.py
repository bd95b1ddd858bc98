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
    plan = make("--dry-run", f"BUILD={tmp_path / 'build'}", "V=1", *arguments)
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
    assert not list(tmp_path.rglob("*.json*")), "a dry run leaves nothing behind"


@pytest.mark.parametrize("target", ["all", "test-programs", "conform"])
def test_one_board_alone_is_made(target, tmp_path):
    made = boards_of(compiled(tmp_path, target, f"BOARD={BOARDS[1]}"))
    assert made & set(BOARDS) == {BOARDS[1]}


def test_the_reference_alone_asks_for_doxygen():
    asked = {target: make("--dry-run", target).stdout for target in ("docs", "deps", "run-deps")}
    assert [target for target, plan in asked.items() if "doxygen" in plan] == ["docs"]
    docs = asked["docs"]
    assert docs.index("packages.sh 'doxygen>=") < docs.index("| doxygen -")


@pytest.mark.toolchain
def test_a_board_that_is_none_is_refused_with_those_that_there_are():
    outcome = make("BOARD=nonesuch")
    assert outcome.returncode != 0
    assert f"there is no board 'nonesuch', only: {' '.join(BOARDS)}" in outcome.stderr


NEEDS = { # the names here are none of these words
    "claims": ("LinkAnswers", {f"{BUILD}/{kind}/tests/kernel" for kind in ("asan", "host")}),
    "whole runs": ("test_dry_run", {"test-all-images", "programs"}),
    "both": ("test_dry_run or test_house", {"test-all-programs"}),
    "nothing": ("nosuchwordatall", {"test-all-programs"})}


@pytest.mark.parametrize("kind", NEEDS)
def test_words_of_tests_make_what_these_need(kind):
    words, wanted = NEEDS[kind]
    assert needed.targets(BUILD, words) == wanted


def test_whole_runs_of_the_gate_need_no_claims():
    made = needed.targets(BUILD, "test_mpi.py or test_install", gate=True)
    assert made == {"test-images", "programs", "compile_commands.json", "manuals"}
    assert needed.targets(BUILD, "test_soak", gate=True) == {"test-programs"}


def test_a_program_that_is_not_built_is_a_failed_case(tmp_path):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/test_googletest.py", "-k",
                           "LinkAnswers"], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "BUILD": str(tmp_path)})
    assert "0 passed, 2 failed" in done.stdout and "not built: make " in done.stdout, done.stdout


def test_words_of_tests_go_with_a_board():
    plan = make("--dry-run", "test", "TEST=one or another", f"BOARD={BOARDS[1]}").stdout
    assert f"-k '(one or another) and {BOARDS[1]}'" in plan


# Of each kind one; the first four are parts of what pattern rules make.
PARTS = ["host/obj/firmware/apps/hello.o", "host/obj/tests/verify/fuzz/frame_parser.o",
         "host/obj/firmware/apps/hello.sim", f"{BOARDS[0]}/relay/made_for.inc",
         f"{BOARDS[0]}/obj/firmware/kernel/node/kernel.o", f"{BOARDS[0]}/obj/traced/scheduler.o",
         f"{BOARDS[0]}/standard.hpp.gch", f"{BOARDS[0]}/libmesh.a",
         "host/batch/tests/core.o", "host/libstate.a", "host/page.inc"]


class MadeTree:
    """A tree in which everything is made, of empty files."""
    def __init__(self, folder):
        self.build = folder / "build"
        for name in re.findall(r"mkdir -p ([^\s;]+)", self.plan("MPICXX=some-mpicxx")):
            (ROOT / name).mkdir(parents=True, exist_ok=True)
        self.make("--touch", "MPICXX=some-mpicxx")

    def make(self, *arguments):
        # That one lies in the folder of the sources, and belongs to its own build.
        done = make(*arguments, "--assume-old=compile_commands.json", f"BUILD={self.build}",
                    "test-programs")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def plan(self, *arguments):
        """What make would do; what it looks at each time is as it was."""
        looked_at = [self.build / "host/stamp.inc", self.build / "host/mpicxx",
                     self.build / "programs/place",
                     *self.build.glob("batch/**/*.cpp"), *self.build.glob("*/flags"),
                     *self.build.glob("*/standard.hpp")]
        return self.make("--dry-run", "V=1", *arguments, *(f"--assume-old={f}" for f in looked_at))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return MadeTree(tmp_path_factory.mktemp("made"))


def test_what_is_removed_is_made_again(made):
    assert "Nothing to be done" in made.plan("MPICXX=some-mpicxx")
    for part in PARTS:
        file = made.build / part
        kept = file.rename(f"{file}.away")
        plan = made.plan("MPICXX=some-mpicxx")
        assert re.search(rf"(?:-o |rcs |>){re.escape(str(file))}(?:\s|$)", plan), part
        kept.rename(file)


def test_programs_of_cases_are_made_anew_in_a_folder_that_was_moved(made):
    """They name their sources by whole paths, which the cases look for."""
    place = made.build / "programs/place"
    there = place.read_text()
    place.write_text("/elsewhere\n")
    moved = made.make("--dry-run", "V=1")
    place.write_text(there)
    assert "mesh build" in moved and f"-o {made.build}/programs/" in moved


def test_an_mpi_is_found_when_it_comes_and_forgotten_when_it_goes(made):
    mpi_object = made.build / "host/libmesh-mpi.so"
    assert f"rm -f {mpi_object}" in made.plan("MPICXX=")
    kept = mpi_object.rename(f"{mpi_object}.away")
    assert f"-o {mpi_object}" in made.plan("MPICXX=some-mpicxx")
    kept.rename(mpi_object)


def test_a_library_has_nothing_of_a_source_that_is_gone(tmp_path):
    """`ar` leaves members in a library that is there, so the library is made from nothing."""
    plan = make("--dry-run", "V=1", f"BUILD={tmp_path / 'build'}", "all").stdout
    made_by = [line for line in plan.splitlines() if " rcs " in line]
    assert made_by
    for line in made_by:
        library = re.search(r" rcs (\S+)", line)[1]
        assert line.strip().startswith(f"rm -f {library}; "), line


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


@pytest.mark.toolchain
@pytest.mark.parametrize("image", ["job", "app_crash"])
def test_an_image_does_not_tell_where_it_was_made(image):
    """So a folder with all that is made may be moved, and crash records still name its files."""
    made = ROOT / BUILD / boards.default(BUILD) / f"{image}.elf"
    assert bytes(ROOT) not in made.read_bytes()


@pytest.mark.toolchain
def test_a_folder_that_is_reached_by_a_link_is_not_named_by_that_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(ROOT)
    thing = tmp_path / "build/host/obj/firmware/kernel/base/timebase.o"
    done = subprocess.run(["make", "--no-print-directory", f"BUILD={tmp_path / 'build'}",
                           "BATCH=no", str(thing)], cwd=link, env={**os.environ, "PWD": str(link)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert bytes(link) not in thing.read_bytes()
