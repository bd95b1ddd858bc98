"""Nodes that are reset by themselves: named, counted, and taken in again if their program may."""
import re

import pytest

from mesh_tool import IMAGES, ROOT, console, run
from seeds import draw_of

RESETS = IMAGES / "app_resets.elf"
SOURCE = ROOT / "tests/mesh/apps/tireless.cpp" # made for the mesh that it runs on
SERIAL = "ast1030-evb"
SEEDS = 1 << 31 # of the program
FREE = pytest.mark.free
TWICE = ["node 1 is down", "node 1 began anew", "node 1 is up"] * 2


@pytest.mark.parametrize("how", [
    ["sim"], pytest.param(["qemu"], marks=FREE),
    pytest.param(["qemu", "--board", SERIAL, "--host-at", 0], marks=FREE)],
                         ids=["sim", "qemu", "one-cable"])
def test_a_node_that_is_reset_twice_is_waited_for_named_and_greeted(how):
    outcome = run(*how, "--app", "phoenix", "--dim", 2)
    assert outcome.status == 0, outcome
    assert console(outcome) == {0: TWICE, 3: TWICE,
                                1: ["started again 2 times, greeted by 2"]}, outcome
    assert outcome.report["began_anew"] == [0, 2, 0, 0], outcome
    assert len(re.findall("^node 1 began anew$", outcome.err, re.M)) == 2, outcome


@pytest.mark.parametrize("how", [
    ["sim", "--topology", "uhc"], ["sim", "--topology", "star"],
    pytest.param(["qemu", "--topology", "uhc"], marks=FREE)], ids="-".join)
def test_on_every_network_the_nodes_that_send_to_it_hear_of_a_reset(how):
    outcome = run(*how, "--app", "phoenix", "--dim", 3)
    assert outcome.status == 0, outcome
    said = console(outcome)
    assert said.pop(1) == ["started again 2 times, greeted by 2"], outcome
    assert list(said.values()) == [TWICE] * 2, outcome


@pytest.mark.parametrize("how", [
    ["sim", "--dim", 2], ["sim", "--topology", "uhc", "--dim", 3],
    ["sim", "--topology", "star", "--dim", 3],
    ["sim", "--dim", 2, "--faults", "drop:0.05,dup:0.05"],
    pytest.param(["qemu", "--dim", 2], marks=FREE),
    pytest.param(["qemu", "--topology", "uhc", "--dim", 3], marks=FREE),
    pytest.param(["qemu", "--dim", 2, "--board", SERIAL, "--host-at", 0], marks=FREE)],
                         ids=["cube", "uhc", "star", "losses", "qemu", "qemu-uhc", "one-cable"])
def test_work_is_done_whatever_point_workers_are_reset_at(how, drawn_by):
    seed = draw_of(drawn_by).randrange(SEEDS)
    app = SOURCE if "--host-at" in how else IMAGES / "app_tireless.elf"
    outcome = run(*how, "--app", app, "--", 20, 10, seed)
    assert outcome.status == 0, outcome
    assert console(outcome)[0] == ["the sum of 20 squares is 2470"], outcome
    assert outcome.report["began_anew"][0] == 0, outcome


@pytest.mark.free
def test_a_reset_before_the_word_that_its_program_may_begin_again_has_left_does_no_harm(drawn_by):
    """Every worker is reset 12 times, as soon as its program has said the word or soon after."""
    outcome = run("qemu", "--dim", 2, "--board", SERIAL, "--host-at", 0, "--app", SOURCE,
                  "--", 20, 100, draw_of(drawn_by).randrange(SEEDS))
    assert outcome.status == 0, outcome
    assert console(outcome)[0] == ["the sum of 20 squares is 2470"], outcome
    assert outcome.report["began_anew"] == [0, 12, 12, 12], outcome


def test_a_node_that_is_reset_on_and_on_ends_the_run():
    outcome = run("sim", "--app", RESETS, "--dim", 2, "--", 2, "on")
    assert outcome.status == 1, outcome
    assert "node 2 began anew 4096 times, 4096 of them by itself; no run tells more than 4096 " \
        "lives of a node apart" in outcome.err, outcome


@pytest.mark.parametrize("how", [["sim"], pytest.param(["qemu"], marks=FREE)])
def test_a_program_that_has_not_said_that_it_may_begin_again_ends_the_run(how):
    outcome = run(*how, "--app", RESETS, "--dim", 2, "--", 2)
    assert outcome.status == 1, outcome
    assert "node 2 began anew, and its program has not said yet that it may" in outcome.err, outcome
    assert outcome.report["began_anew"] == [0, 0, 1, 0], outcome


def test_in_lockstep_no_emulated_node_may_reset_itself():
    outcome = run("qemu", "--lockstep", "--app", RESETS, "--dim", 1, "--", 1, "may")
    assert outcome.status == 1, outcome
    assert "node 1 began anew, at no model time" in outcome.err, outcome


@pytest.mark.parametrize("how", [["sim"], pytest.param(["qemu"], marks=FREE)])
def test_a_collective_is_not_taken_up_again_beside_a_node_that_was_reset(how):
    outcome = run(*how, "--app", RESETS, "--dim", 2, "--", 2, "may")
    assert outcome.status == 1, outcome
    assert "ended with: unreachable" in outcome.err, outcome
    assert console(outcome) == {2: ["I go"]}, outcome
