"""C programs over MPI: the same answer on every network and engine, whatever is lost."""
import re

import pytest

from mesh_tool import console, mesh, program
from mpi_programs import said_by

NETWORKS = {"cube": 3, "uhc": 3, "star": 3}

# Task t has t % 3 + 1 results, from t * 10 on.
FARM = sum(task * 10 + part for task in range(40) for part in range(task % 3 + 1))
# What rank 0 prints on 8 ranks, and on the 6 of a star.
ANSWERS = {
    "pi": ("pi 3.141593", "pi 3.141593"),
    "allsend": ("sum 28", "sum 15"),
    "behind": ("first from 7, then 371", "first from 5, then 260"),
    "ahead": ("0 wrong", "0 wrong"),
    "heat": ("heat 5412.161905", "heat 5412.161905"),
    "matrix": ("0 wrong", "0 wrong"),
    "samplesort": ("sorted, all there", "sorted, all there"),
    "farm": (f"sum {FARM}", f"sum {FARM}"),
    "life": ("5 of 5 alive", "5 of 5 alive"),
    "messages": ("0 wrong", "0 wrong"),
    "types": ("0 wrong", "0 wrong"),
    "communicators": ("0 wrong", "0 wrong"),
    "nonblocking": ("0 wrong", "0 wrong"),
    "objects": ("0 wrong", "0 wrong"),
    "neighbors": ("0 wrong", "0 wrong"),
    "intercommunicators": ("0 wrong", "0 wrong"),
    "matched": ("0 wrong", "0 wrong"),
    "windows": ("0 wrong", "0 wrong"),
    "corners": ("0 wrong", "0 wrong"),
    "pairs": ("0 wrong", "0 wrong"),
    "generalized": ("0 wrong", "0 wrong"),
    "cancel": ("0 wrong", "0 wrong"),
    "cg": ("solved", "solved"),
    "profiled": ("0 wrong", "0 wrong"),
    "large": ("0 wrong", "0 wrong"),
    "sessions": ("0 wrong", "0 wrong"),
    "partitions": ("0 wrong", "0 wrong"),
}
# Of others there are 10 sets of losses. The first two move megabytes, objects hardly anything.
SEEDS = {"ahead": 1, "messages": 1, "objects": 1, "neighbors": 3, "cg": 3, "nonblocking": 4,
         "intercommunicators": 2, "matched": 2, "windows": 2, "corners": 1, "pairs": 1,
         "generalized": 1, "cancel": 3, "profiled": 1, "large": 1, "sessions": 1, "partitions": 2}


def simulated(app, topology, *more, words=()):
    words = ["--", *words] if words else []
    return mesh("run", "--engine", "sim", "--topology", topology, "--dim", NETWORKS[topology],
                "--app", app, *more, *words)


@pytest.mark.toolchain
@pytest.mark.parametrize("topology", NETWORKS)
@pytest.mark.parametrize("name", ANSWERS)
def test_a_c_program_gives_its_answer_on_every_network(name, topology):
    outcome = simulated(program(f"mpi/{name}"), topology)
    assert said_by(outcome, 0) == [ANSWERS[name][topology == "star"]]


LOSSES = [(name, seed) for name in ANSWERS for seed in range(1, 1 + SEEDS.get(name, 10))]


@pytest.mark.parametrize("name, seed", LOSSES)
def test_losses_change_no_answer(name, seed):
    outcome = simulated(program(f"mpi/{name}"), "cube", "--faults", "drop:0.1,corrupt:0.05",
                        "--seed", seed)
    assert said_by(outcome, 0) == [ANSWERS[name][0]]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_c_program_gives_the_same_answer_on_boards(name):
    outcome = mesh("run", "--dim", 3, "--app", program(f"mpi/{name}"))
    assert said_by(outcome, 0) == [ANSWERS[name][0]]


def test_a_message_takes_the_model_time_of_its_links():
    for topology, units in (("cube", 14), ("uhc", 20), ("star", 14)):
        line, = said_by(simulated(program("mpi/ring"), topology), 0)
        assert re.fullmatch(r"token \d+ after (\d+) ms", line), line
        assert int(line.split()[3]) == units, (topology, line)


@pytest.mark.toolchain
@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_a_program_has_words_and_a_heap_and_ends_by_exit(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", program("mpi/hello"),
                   "--", "a", "bc")
    assert outcome.status == 0, outcome
    assert console(outcome) == {rank: [f"rank {rank} of 4: a bc and 3 words", f"{rank}.125 1"]
                                for rank in range(4)}


def test_each_edge_of_a_reordered_grid_is_one_link():
    for dim, links in ((4, "1 and 2"), (6, "1 and 3")):
        outcome = mesh("run", "--engine", "sim", "--dim", dim, "--app", program("mpi/grid"))
        assert said_by(outcome, 0) == [links, "0 wrong"], dim
    assert said_by(simulated(program("mpi/grid"), "star"), 0)[1] == "0 wrong"


def test_64_nodes_may_all_send_before_the_one_that_is_received_first():
    outcome = mesh("run", "--engine", "sim", "--dim", 6, "--app", program("mpi/behind"))
    assert said_by(outcome, 0) == [f"first from 63, then {10 * 63 * 5 + sum(range(1, 63))}"]
