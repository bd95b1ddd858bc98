"""Schedules of whole kernels: always the same ones here, more of a commit's with `make soak`."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

from failed_once import FAILED_ONCE
from seeds import draw_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/verify/model"))
import mutants  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
SOAK = f"{BUILD}/host/tests/soak"
SCHEDULES = 8000
OF_A_KIND = {"storm": 1000, "sequence": 1500, "ends": 2000, "flaps": 1000, "parts": 2500,
             "late": 300, "resets": 100, "bursts": 300}
DRAWN = 3000 # of each seed of this run
LIMIT_S = 900


def soak(*arguments):
    """By default it ends after a minute; here it ends by its count, if one is given."""
    if "--schedules" in arguments:
        arguments += ("--seconds", 10 * LIMIT_S)
    return subprocess.run([SOAK, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT_S)


def keeps(kind, count, record_property):
    """The first schedules of a kind, of which none may fail."""
    done = soak("--kind", kind, "--from", 1, "--schedules", count, "--keep", f"{BUILD}/soak")
    record_property("told", done.stdout.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    ran = re.search(r": (\d+) schedules", done.stdout)
    assert int(ran.group(1)) == count, done.stdout


def test_no_schedule_of_whole_kernels_breaks_a_promise(record_property):
    keeps("mixed", SCHEDULES, record_property)


@pytest.mark.parametrize("kind", OF_A_KIND)
def test_no_storm_sequence_end_or_flap_breaks_a_promise(kind, record_property):
    keeps(kind, OF_A_KIND[kind], record_property)


def test_collectives_with_a_tag_each_tell_calls_apart():
    done = soak("--kind", "sequence", "--own-tags", "--healthy", "--from", 1, "--schedules", 500)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("kind", OF_A_KIND)
def test_a_schedule_of_each_kind_can_be_repeated(kind):
    """The output describes a schedule, the same every time; parts of it can be left out."""
    seed = 7 if kind == "bursts" else 5 # of several rounds
    first, again = (soak("--kind", kind, "--seed", seed, "--only", "none") for _ in range(2))
    assert first.stdout == again.stdout and " buffers, " in first.stdout, first.stdout
    less = soak("--kind", kind, "--seed", seed, "--only", "none", "--messages", 1)
    assert less.stdout.splitlines()[0] != first.stdout.splitlines()[0], less.stdout


def test_a_schedule_of_parts_can_be_repeated_without_some_of_them():
    whole, less = (soak("--kind", "late", "--seed", 41, "--only", "none", *without)
                   for without in ((), ("--without", "1,2")))
    assert whole.returncode == less.returncode == 0, whole.stdout + less.stdout
    parts = [done.stdout.split(" at a time")[0].count("collectives") for done in (whole, less)]
    assert parts == [6, 4], parts


@pytest.mark.costly
def test_no_schedule_of_a_drawn_seed_breaks_a_promise(drawn_by, record_property):
    done = soak("--from", draw_of(drawn_by, "soak").randrange(1 << 40), "--schedules", DRAWN,
                "--keep", f"{BUILD}/soak")
    print(done.stdout)
    record_property("told", done.stdout.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("schedule", FAILED_ONCE)
def test_what_failed_once_does_not_fail_again(schedule):
    done = soak(*schedule.split())
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", mutants.SOAK)
def test_what_is_taken_out_to_be_found_again_is_there(name):
    kind, file, before, after = mutants.SOAK[name]
    assert kind in {"mixed", *OF_A_KIND} and before != after
    assert (ROOT / "firmware" / file).read_text().count(before) == 1, name
    table = (ROOT / "tests/verify/soak/README.md").read_text().split("## Found again")[1]
    assert f"| {name} | `{kind}` | " in table, "run found_again.py"


def test_the_same_seeds_are_the_same_schedules():
    first, second = (soak("--from", 7, "--schedules", 40) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stdout + second.stdout
    assert " 40 schedules" in first.stdout and first.stdout == second.stdout


def test_one_schedule_can_be_repeated_with_some_of_its_faults():
    whole, less = soak("--seed", 41), soak("--seed", 41, "--only", "none")
    assert whole.returncode == less.returncode == 0
    assert "nothing failed" in whole.stdout and "@" in whole.stdout and "@" not in less.stdout


@pytest.mark.parametrize("work", ["collectives", "messages"])
def test_no_fault_of_a_single_frame_costs_anything(work):
    done = soak("single", "cube:3", work)
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) runs, 0 failed", done.stdout).group(1)) > 500


@pytest.mark.parametrize("arguments", [("--network", "ring:3"), ("--workers", "0"),
                                       ("--kind", "calm"), ("--failures", "0"),
                                       ("--seconds", "no"), ("--seed", "1", "--only", "x"),
                                       ("single", "cube:3", "nothing")])
def test_a_bad_argument_is_known_before_anything_runs(arguments):
    assert soak(*arguments).returncode == 2
