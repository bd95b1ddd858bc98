"""C programs that run on some of the nodes, over the tree that the command line names, or late."""
import pytest

from mesh_tool import ROOT, console, mesh, program
from mpi_programs import program_of, said_by, written
from test_mpi import ANSWERS


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_ranks_are_the_first_nodes(engine):
    outcome = mesh("run", "--engine", engine, "--dim", 2, "--ranks", 3, "--app",
                   program("mpi/hello"), "--", "a")
    assert outcome.status == 0, outcome
    assert console(outcome) == {rank: [f"rank {rank} of 3: a and 2 words", f"{rank}.125 1"]
                                for rank in range(3)}


# The star of three symbols is a ring of six nodes: what ranks beside node 5 say to each other
# passes it.
@pytest.mark.parametrize("name", ["nonblocking", "pi", "windows"])
def test_nodes_without_a_rank_forward_for_the_others(name):
    outcome = mesh("run", "--engine", "sim", "--topology", "star", "--dim", 3, "--ranks", 5,
                   "--faults", "drop:0.1,corrupt:0.05", "--app", program(f"mpi/{name}"))
    assert said_by(outcome, 0) == [ANSWERS[name][0]]


# 60 packets to all of 64 nodes: P + n - 1 steps over one tree, P / n + n over six.
BROADCAST = """
static char data[61440];
double before, mine, last;
MPI_Barrier(MPI_COMM_WORLD);
before = MPI_Wtime();
MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
mine = MPI_Wtime() - before;
MPI_Reduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
if (rank == 0) printf("%.0f\\n", last * 1000);
"""


@pytest.mark.parametrize("tree, steps", [((), 65), (("--tree", "sbt"), 65),
                                         (("--tree", "msbt"), 16)])
def test_a_broadcast_takes_the_steps_of_the_tree_that_is_named(tree, steps, tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 6, *tree, "--app",
                   written(tmp_path, program_of(BROADCAST)))
    assert said_by(outcome, 0) == [str(steps)]


# Small messages wait at their receiver, large ones at their sender.
LATE = """
static int data[5000];
if (rank == 0)
    sleep(60);
for (int at = 0; at < 20 * (size - 1); ++at) {
    const int tag = at % 20, from = 1 + at / 20;
    data[0] = rank;
    if (rank == from)
        MPI_Send(data, tag % 2 ? 5000 : 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(data, 5000, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value += rank == 0 && data[0] != from;
}
if (rank == 0) printf("%d wrong, %d\\n", value, MPI_Wtime() > 60);
"""


def test_a_receiver_may_be_late_by_a_minute(tmp_path):
    file = written(tmp_path, "#include <unistd.h>\n" + program_of(LATE))
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--faults", "drop:0.1", "--app", file)
    assert said_by(outcome, 0) == ["0 wrong, 1"]


# A grid of 4 x 4 on the 4-cube: a row is a square, all of it has four dimensions. By ranks the
# values of a row in Gray code would take three steps, since some messages cross two links.
def test_a_row_of_a_grid_takes_a_step_for_each_of_its_dimensions():
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--app", program("mpi/rows"))
    *parts, wrong = said_by(outcome, 0)
    assert parts == 2 * ["rows: 2 2 2", "columns: 2 2 2", "grid: 4 4 4"] and wrong == "0 wrong"


@pytest.mark.parametrize("where", [("--topology", "star", "--dim", 4),
                                   ("--dim", 4, "--ranks", 12),
                                   ("--dim", 3, "--faults", "drop:0.1,corrupt:0.05")])
def test_rows_combine_in_the_order_of_ranks_everywhere(where):
    outcome = mesh("run", "--engine", "sim", *where, "--app", program("mpi/rows"))
    assert said_by(outcome, 0)[-1] == "0 wrong"


def test_each_edge_of_a_reordered_binary_tree_is_one_link():
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--app", program("mpi/tree"))
    assert said_by(outcome, 0) == ["1 and 3", "0 wrong"]
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--app", program("mpi/tree"))
    assert said_by(outcome, 0) == ["3 and 3", "0 wrong"]  # three levels want four dimensions


@pytest.mark.parametrize("board", ["ast1030-evb", "mps2-an385"])
def test_other_boards_have_c_programs_as_well(board):
    outcome = mesh("run", "--board", board, "--dim", 2, "--app",
                   ROOT / "tests/mesh/mpi/pi.c")
    assert said_by(outcome, 0) == [ANSWERS["pi"][0]]


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_an_end_without_finalize_ends_the_run_and_is_named(engine, tmp_path):
    calls = 'if (rank == 1) { printf("so far\\n"); exit(3); }'
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert outcome.status == 1 and console(outcome)[1] == ["so far"], outcome
    assert ("node 1 has ended the run: rank 1: the program has ended without MPI_Finalize(), with "
            "status 3") in outcome.err, outcome


def test_finalize_tells_of_messages_that_nobody_received(tmp_path):
    calls = ("if (rank == 1) for (int at = 0; at < 3; ++at)"
             "MPI_Send(&value, 1, MPI_INT, 0, at, MPI_COMM_WORLD);")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert outcome.status == 1 and "stack overflow" not in outcome.err, outcome
    assert console(outcome)[0] == ["MPI_Finalize(): messages that nobody has received: 3",
                                   "MPI_Finalize(): the first has 4 bytes, from rank 1 with tag 0"]
    assert "rank 0: messages that nobody has received" in outcome.err, outcome


def test_finalize_with_a_large_message_under_way_is_told(tmp_path):
    calls = ("static char data[5000]; MPI_Request request; if (rank == 1) {"
             "MPI_Isend(data, 5000, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &request);"
             "MPI_Request_free(&request); }")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert outcome.status == 1, outcome
    assert "waits for its MPI message with tag 7 to be received by node 0" in outcome.err, outcome


# One rank takes all of its heap.
FILLED = """
static char data[900];
void **last = NULL, **more;
MPI_Type_size(MPI_CHAR, &value); /* a type is on the heap from its first use on */
value = 0;
for (int bytes = 1 << 22; rank == RANK && bytes >= 16; bytes /= 2)
    while ((more = malloc(bytes)) != NULL) {
        *more = last;
        last = more;
    }
MPI_Barrier(MPI_COMM_WORLD);
for (int at = 0; rank == 1 && at < 50; ++at) {
    data[0] = at;
    MPI_Send(data, 900, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}
if (rank == 0)
    sleep(1);
for (; (more = last) != NULL; free(more))
    last = *more;
for (int at = 0; rank == 0 && at < 50; ++at) {
    MPI_Recv(data, 900, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value += data[0] != at;
}
if (rank == 0) printf("%d wrong\\n", value);
"""


def filled(tmp_path, rank):
    text = "#include <unistd.h>\n" + program_of(FILLED.replace("RANK", str(rank)))
    return mesh("run", "--dim", 1, "--app", written(tmp_path, text))


def test_messages_wait_for_a_heap_that_is_full(tmp_path):
    assert said_by(filled(tmp_path, 0), 0) == [
        "MPI: no memory for messages that nobody receives; waiting for some", "0 wrong"]


def test_a_send_without_memory_is_told(tmp_path):
    outcome = filled(tmp_path, 1)
    assert outcome.status == 1 and "rank 1: no memory for a message: free() some" in outcome.err, (
        outcome)


# A call that is not there: of a program that declares it itself, too.
MISSING = "nothing defines MPI_Comm_spawn_multiple: it is not among the calls of MPI on a mesh"


def test_a_call_that_is_not_there_names_the_table(tmp_path):
    declared = "int MPI_Comm_spawn_multiple(MPI_Comm);\n" + program_of(
        "MPI_Comm_spawn_multiple(MPI_COMM_WORLD);")
    file = written(tmp_path, declared)
    outcome = mesh("build", file, "-o", tmp_path / "some")
    assert outcome.status == 2 and MISSING in outcome.err, outcome
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", file)
    assert outcome.status == 2 and MISSING in outcome.err, outcome
    outcome = mesh("build", written(tmp_path, program_of("MPI_File file;")), "-o",
                   tmp_path / "some")
    assert outcome.status == 2 and "unknown type name" in outcome.err, outcome
    assert "help: without #include <mpi.h> nothing of MPI is known; what it" in outcome.err, outcome


@pytest.mark.parametrize("topology", ["cube", "uhc", "star"])
@pytest.mark.parametrize("ranks", [1, 3, 9])
def test_ranks_alone_say_how_large_a_mesh_is(topology, ranks):
    outcome = mesh("run", "--engine", "sim", "--topology", topology, "--ranks", ranks, "--app",
                   program("mpi/hello"))
    assert outcome.status == 0, outcome
    assert [lines[0] for _, lines in sorted(console(outcome).items())] == [
        f"rank {rank} of {ranks}: and 1 words" for rank in range(ranks)]
