"""States of two ends of a cable and of whole kernels, as many as a test may take; `make verify`
has more."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / os.environ.get("BUILD", "build") / "host" / "tests"
EXPLORE = PROGRAMS / "explore_link"
EXPLORE_NODES = PROGRAMS / "explore_nodes"
LIMIT_S = 600


def explore(program, options, all_there_are, states):
    """Nothing is broken in the states that it sees, which are as many as that at least."""
    done = subprocess.run([program, *map(str, options)], capture_output=True, text=True,
                          timeout=LIMIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.match(r"(\d+) states", done.stdout).group(1)) >= states
    assert ("all there are" in done.stdout) == all_there_are, done.stdout


# Options; whether these are all states that there are; how many at least.
SPACES = {
    "all of a short cable": (["--one-way", "--frames", 1, "--buffers", 2, "--window", 1], True,
                             50_000),
    "both ways": (["--states", 500_000], False, 500_000),
    "two frames, no faults of ends": (["--no-lives", "--one-way", "--states", 500_000], False,
                                      500_000),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_no_state_of_a_link_breaks_a_promise(space):
    explore(EXPLORE, *space)


# Goals of the messages; whether these are all states that there are; how many at least.
STORMS = {
    "all of two nodes": (["--network", "cube:1", "--goals", "0:1,1:0", "--states", 100_000], True,
                         500),
    "three that send": (["--states", 100_000], False, 100_000),
    "a crowd at one": (["--goals", "0:3,0:3,0:3,1:3,1:3,1:3", "--states", 100_000], False, 100_000),
}


@pytest.mark.parametrize("storm", STORMS.values(), ids=STORMS)
def test_no_order_of_events_keeps_a_message_of_a_storm_from_its_goal(storm):
    explore(EXPLORE_NODES, *storm)


@pytest.mark.parametrize("goal", ["0", "x:1", "0:4", "0:1:2"])
def test_what_is_no_goal_is_refused(goal):
    done = subprocess.run([EXPLORE_NODES, "--network", "cube:2", "--goals", goal],
                          capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 2 and f"--goals {goal}: FROM:TO" in done.stderr, done
