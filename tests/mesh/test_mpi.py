"""C programs over MPI: the same answer on every network and engine, whatever is lost."""
import re

import pytest

from mesh_tool import ROOT, console, mesh

PROGRAMS = ROOT / "tests" / "mesh" / "mpi"
NETWORKS = {"cube": 3, "uhc": 3, "star": 3}

# What rank 0 prints on 8 ranks, and on the 6 of a star.
ANSWERS = {
    "pi": ("pi 3.141593", "pi 3.141593"),
    "allsend": ("sum 28", "sum 15"),
    "behind": ("first from 7, then 371", "first from 5, then 260"),
    "ahead": ("0 wrong", "0 wrong"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Builds a program of tests/mesh/mpi for both engines, once."""
    folder = tmp_path_factory.mktemp("mpi")

    def build(name):
        into = folder / name
        if not into.exists():
            outcome = mesh("build", PROGRAMS / f"{name}.c", "-o", into)
            assert outcome.status == 0 and outcome.err == "", outcome
        return into
    return build


def said_by(outcome, rank):
    assert outcome.status == 0, outcome
    return console(outcome).get(rank, [])


def simulated(app, topology, *more, words=()):
    words = ["--", *words] if words else []
    return mesh("run", "--engine", "sim", "--topology", topology, "--dim", NETWORKS[topology],
                "--app", app, *more, *words)


@pytest.mark.parametrize("topology", NETWORKS)
@pytest.mark.parametrize("name", ANSWERS)
def test_a_c_program_gives_its_answer_on_every_network(program, name, topology):
    outcome = simulated(program(name), topology)
    assert said_by(outcome, 0) == [ANSWERS[name][topology == "star"]]


# A run of `ahead` moves 8 MiB.
LOSSES = [(name, seed) for name in ANSWERS for seed in range(1, 3 if name == "ahead" else 11)]


@pytest.mark.parametrize("name, seed", LOSSES)
def test_losses_change_no_answer(program, name, seed):
    outcome = simulated(program(name), "cube", "--faults", "drop:0.1,corrupt:0.05", "--seed", seed)
    assert said_by(outcome, 0) == [ANSWERS[name][0]]


@pytest.mark.parametrize("name", ANSWERS)
def test_a_c_program_gives_the_same_answer_on_boards(program, name):
    outcome = mesh("run", "--dim", 3, "--app", program(name))
    assert said_by(outcome, 0) == [ANSWERS[name][0]]


def test_a_message_takes_the_model_time_of_its_links(program):
    for topology, units in (("cube", 14), ("uhc", 20), ("star", 14)):
        line, = said_by(simulated(program("ring"), topology), 0)
        assert re.fullmatch(r"token \d+ after (\d+) ms", line), line
        assert int(line.split()[3]) == units, (topology, line)


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_a_program_has_words_and_a_heap_and_ends_by_exit(program, engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", program("hello"),
                   "--", "a", "bc")
    assert outcome.status == 0, outcome
    assert console(outcome) == {rank: [f"rank {rank} of 4: a bc and 3 words", f"{rank}.125 1"]
                                for rank in range(4)}


def test_64_nodes_may_all_send_before_the_one_that_is_received_first(program):
    outcome = mesh("run", "--engine", "sim", "--dim", 6, "--app", program("behind"))
    assert said_by(outcome, 0) == [f"first from 63, then {10 * 63 * 5 + sum(range(1, 63))}"]


def written(folder, text):
    file = folder / "some.c"
    file.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n" + text)
    return file


DEEP = """
int deep(int level) {
    volatile char room[512];
    room[level % 512] = (char)level;
    return deep(level + 1) + room[0];
}
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        printf("%d\\n", deep(0));
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_a_full_stack_ends_its_node_alone_and_is_named(engine, tmp_path):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--app", written(tmp_path, DEEP))
    assert outcome.status == 1, outcome
    assert re.search(r"node 1: firmware stopped: stack overflow, \S.*deep, \S+some\.c:\d+",
                     outcome.err), outcome
    assert not re.search(r"node [023]: firmware stopped", outcome.err), outcome


def program_of(calls):
    return f"""
int main(int argc, char **argv) {{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    {calls}
    MPI_Finalize();
    return value;
}}
"""


@pytest.mark.parametrize("calls, why", [
    ("MPI_Abort(MPI_COMM_WORLD, 7);", r"MPI_Abort\(7\)"),
    ("MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);", r"MPI_Send: not a rank"),
    ("MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD);", r"MPI_Send: not a tag"),
    ("MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD);", r"MPI_Bcast: not a count"),
    ("MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL);", r"MPI_Bcast: not a communicator"),
    ("MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);", r"MPI_Bcast: not a datatype"),
    ("double all, mine = 1; MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);",
     r"MPI_Allreduce: not an operation for this datatype"),
    ("int two[2] = {0}; MPI_Send(two, 2, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);"
     "MPI_Recv(&value, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
     r"MPI_Recv: message truncated: the buffer is too small for it"),
    ("MPI_Finalize(); MPI_Barrier(MPI_COMM_WORLD);", r"a call of MPI after MPI_Finalize\(\)"),
])
def test_a_wrong_call_ends_the_run_and_says_why(calls, why, tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert outcome.status == 1, outcome
    assert re.search(rf"mesh: node \d has ended the run: rank \d: {why}", outcome.err), outcome


def test_the_status_of_main_is_the_verdict_of_its_node(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of("value = rank;")))
    assert outcome.status == 1 and re.search(r"node 1\b.*failed", outcome.err), outcome


def test_a_program_without_main_or_app_main_is_refused(tmp_path):
    outcome = mesh("build", written(tmp_path, "int other(void) { return 1; }"), "-o",
                   tmp_path / "some")
    assert outcome.status == 2, outcome
    assert "no file has the function `mesh::Process app_main(mesh::Kernel& node)`, or main()" in (
        outcome.err), outcome


def test_the_page_says_of_each_call_whether_it_is_there():
    folder = ROOT / "firmware" / "mpi"
    declared = re.findall(r"^(?:int|double) (MPI_\w+)\(", (folder / "mpi.h").read_text(), re.M)
    rows = re.findall(r"^\| ((?:`MPI_\w+` ?)+) \| (yes|part: )",
                      (folder / "README.md").read_text(), re.M)
    told = [name for names, _ in rows for name in re.findall(r"MPI_\w+", names)]
    assert len(told) == len(set(told)) and sorted(told) == sorted(declared)
