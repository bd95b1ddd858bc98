"""Storms: whatever processes send to each other, on whatever network and with whatever pool, all of
it arrives. Nodes are goals and lie on the way to other goals, and pools fill."""
import random

import pytest

from crowd_tool import PORTS, app, ends_well
from mesh_tool import BUILD, IMAGES

PROGRAM = IMAGES / "app_storm.elf"
DRAWN = 48
DRAWN_EXHAUSTIVE = 600
# Topology, dimension, nodes, ports.
NETWORKS = [("cube", 3, 8, 3), ("cube", 4, 16, 4), ("uhc", 4, 16, 4), ("star", 4, 24, 3),
            ("cube", 5, 32, 5), ("uhc", 5, 32, 5), ("cube", 6, 64, 6), ("uhc", 6, 64, 6)]
# Storms beyond those of the first numbers that a kernel which promises less does not survive: two
# goals that fill with packets for each other, and a fragment that offers of others starve.
KNOWN = [1008, 1024, 1028, 1030, 1046, 1048, 1056, 1080, 1084, 1088, 1090, 1094, 1096]


def storm(number):
    """Storm `number` on one board after the other: where it runs, and the words of storm.cpp."""
    draw = random.Random(f"storm {number}")
    board = list(PORTS)[number % len(PORTS)]
    topology, dim, nodes, _ = draw.choice([network for network in NETWORKS
                                           if network[3] <= PORTS[board]][-4:])
    words = [draw.randint(3, 13), draw.choice((10, 20)), draw.choice((0, 100, 100, 3000)),
             draw.choice((256, 1024)), draw.choice((1, 1, 1, 1, 2)),
             draw.choice((30, 60, 100, 100)),
             draw.choice((1, nodes // 2, nodes // 2, draw.randint(1, nodes - 1)))]
    return ["--board", board, "--topology", topology, "--dim", dim, "--seed", number], words


def pytest_generate_tests(metafunc):
    if "number" in metafunc.fixturenames:
        every = metafunc.config.getoption("--exhaustive")
        metafunc.parametrize("number", range(DRAWN_EXHAUSTIVE) if every
                             else [*range(DRAWN), *KNOWN])


def test_a_storm_on_the_pool_of_a_board_ends_with_all_messages_taken(number):
    where, words = storm(number)
    ends_well(app("sim", PROGRAM, where, words))


@pytest.mark.parametrize("where, words", [
    (["--dim", 7], [14, 20, 100, 1024, 1, 100, 64]),
    (["--dim", 8, "--seed", 11], [6, 10, 100, 1024, 1, 100, 128]),
    (["--board", "ast1030-evb", "--dim", 7], [10, 20, 100, 1024, 1, 100, 32]),
    (["--topology", "star", "--dim", 5], [8, 10, 100, 1024, 1, 100, 1])])
def test_a_storm_of_hundreds_of_nodes_at_two_goals_ends(where, words):
    ends_well(app("sim", PROGRAM, where, words))


@pytest.mark.parametrize("how", [["--lockstep"], pytest.param(
    ["--free", "--timeout", 60], marks=pytest.mark.free)], ids=["lockstep", "free"])
def test_a_storm_on_the_smallest_board_itself_ends(how):
    """Six senders and the program, which takes: all processes that the board has room for."""
    ends_well(app("qemu", BUILD / "netduinoplus2" / "app_storm.elf",
                  ["--board", "netduinoplus2", "--dim", 4, *how, "--seed", 87109],
                  [6, 20, 0, 1024, 0, 100, 8]))
