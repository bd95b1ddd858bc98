"""C programs over MPI: the same answer on every network and engine, whatever is lost."""
import os
import re

import pytest

from mesh_tool import BUILD, ROOT, console, mesh, program

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
    **dict.fromkeys(("profiled", "large", "sessions", "partitions"), ("0 wrong", "0 wrong")),
}
# Of others there are 10 sets of losses. The first two move megabytes, objects hardly anything.
SEEDS = {"ahead": 1, "messages": 1, "objects": 1, "neighbors": 3, "cg": 3, "nonblocking": 4,
         "intercommunicators": 2, "matched": 2, "windows": 2, "corners": 1, "pairs": 1,
         "generalized": 1, "cancel": 3, "profiled": 1, "large": 1, "sessions": 1, "partitions": 2}


def said_by(outcome, rank):
    assert outcome.status == 0, outcome
    return console(outcome).get(rank, [])


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


STUCK = [
    ("MPI_Recv(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
     "node 0 waits for an MPI message with tag 5 from node 1, which waits for an MPI message with "
     "tag 5 from node 0: a circle"),
    ("MPI_Ssend(&value, 1, MPI_INT, 1 - rank, 70000, MPI_COMM_WORLD);",
     "node 0 waits for its MPI message with tag 70000 to be received by node 1, which waits for "
     "its MPI message with tag 70000 to be received by node 0: a circle"),
    ("if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
     "else MPI_Barrier(MPI_COMM_WORLD);",
     "node 0 waits for an MPI message with tag 5 from node 1, which waits for node 0 in "
     "MPI_Barrier: a circle"),
    ("MPI_Request request[2]; MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, request);"
     "MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request + 1);"
     "MPI_Waitall(2, request, MPI_STATUSES_IGNORE);",
     "node 0 waits for an MPI message with tag 1 from node 1, which waits for an MPI message with "
     "tag 1 from node 0: a circle"),
    ("if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);"
     "MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
     "an MPI message with tag 7 from any node (what has come has tag 8, from node 1)"),
]


@pytest.mark.parametrize("engine, calls, why", [("sim", *one) for one in STUCK] +
                         [("qemu", *one) for one in STUCK[::2]])
def test_a_deadlock_is_told_in_words_of_mpi(engine, calls, why, tmp_path):
    outcome = mesh("run", "--engine", engine, "--lockstep", "--dim", 2, "--ranks", 2, "--app",
                   written(tmp_path, program_of(calls)))
    assert outcome.status == 1 and why in outcome.err, outcome


def test_finalize_tells_what_is_left(tmp_path):
    calls = ("MPI_Comm copy; MPI_Datatype one, two; MPI_Request request;"
             "MPI_Type_contiguous(2, MPI_INT, &one); MPI_Type_dup(one, &two);"
             "if (rank == 0) { MPI_Comm_dup(MPI_COMM_SELF, &copy);"
             "MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); }")
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert said_by(outcome, 0) == [
        "MPI_Finalize(): requests neither completed nor freed: 1",
        "MPI_Finalize(): communicators not freed: 1", "MPI_Finalize(): datatypes not freed: 2"]
    assert said_by(outcome, 1) == ["MPI_Finalize(): datatypes not freed: 2"]


def test_64_nodes_may_all_send_before_the_one_that_is_received_first():
    outcome = mesh("run", "--engine", "sim", "--dim", 6, "--app", program("mpi/behind"))
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
    ("MPI_Comm between; MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &between);"
     "MPI_Intercomm_create(between, 0, MPI_COMM_WORLD, size, 0, &between);",
     r"MPI_Intercomm_create: not a rank"),
    ("MPI_Comm_remote_size(MPI_COMM_WORLD, &value);",
     r"MPI_Comm_remote_size: only for a communicator between two groups"),
    ("MPI_Message message = MPI_MESSAGE_NULL; MPI_Mrecv(&value, 1, MPI_INT, &message, 0);",
     r"MPI_Mrecv: the message is none that MPI_Mprobe\(\) gave"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Get(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);",
     r"MPI_Get: no epoch: MPI_Win_fence\(\), MPI_Win_start\(\) or MPI_Win_lock\(\)"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_fence(0, win); MPI_Put(&rank, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win);",
     r"MPI_Put: outside of the window of the target"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_lock(7, 0, 0, win);", r"MPI_Win_lock: MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_fence(0, win);"
     "MPI_Accumulate(&rank, 4, MPI_BYTE, 0, 0, 4, MPI_BYTE, MPI_SUM, win);",
     r"MPI_Accumulate: not an operation for this datatype"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_fence(0, win); MPI_Put(&rank, 1, MPI_INT, 0, 0, 2, MPI_BYTE, win);",
     r"MPI_Put: the target has fewer bytes than the origin sends"),
    ("MPI_Win win; MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_fence(0, win); MPI_Put(&value, 1, MPI_INT, 1 - rank, 4096, 1, MPI_INT, win);"
     "MPI_Win_fence(0, win);",
     r"MPI_Win_fence: an access outside of what the target has attached"),
    ("MPI_Win win; MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_attach(win, &rank, sizeof rank); MPI_Win_detach(win, &value);",
     r"MPI_Win_detach: nothing is attached there"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); MPI_Win_free(&win);",
     r"MPI_Win_free: an epoch has not ended"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win); MPI_Win_fence(0, win);",
     r"MPI_Win_fence: another epoch has not ended"),
    ("for (MPI_Comm copy;; MPI_Comm_free(&copy)) MPI_Comm_dup(MPI_COMM_SELF, &copy);",
     r"too many communicators and windows were made"),
    ("MPI_Finalize(); MPI_Barrier(MPI_COMM_WORLD);", r"a call of MPI after MPI_Finalize\(\)"),
])
def test_a_wrong_call_ends_the_run_and_says_why(calls, why, tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert outcome.status == 1, outcome
    assert re.search(rf"mesh: node \d has ended the run: rank \d: {why}", outcome.err), outcome


# The even ranks duplicate their half beside a duplicate of the world, which the odd ranks make
# late, after three others: a message of one duplicate is never received in the other.
BESIDE = """
MPI_Comm half, copy, all;
MPI_Request requests[2];
int one = 1, two = 2;
MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
if (rank % 2 == 0)
    MPI_Comm_idup(half, &copy, requests);
for (int at = 0; rank % 2 != 0 && at < 3; ++at) {
    MPI_Comm_dup(half, &copy);
    MPI_Comm_free(&copy);
}
if (rank % 2 != 0)
    for (double late = MPI_Wtime() + 0.2; MPI_Wtime() < late;)
        ;
MPI_Comm_dup(MPI_COMM_WORLD, &all);
if (rank % 2 == 0) {
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Isend(&one, 1, MPI_INT, 1 - rank / 2, 1, copy, &requests[0]);
    MPI_Isend(&two, 1, MPI_INT, 2 - rank, 1, all, &requests[1]);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, MPI_STATUS_IGNORE);
    printf("%d\\n", value);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&copy);
}
MPI_Comm_free(&all);
MPI_Comm_free(&half);
value = 0;
"""
# Two duplicates of all ranks at once, whose first messages cross.
CROSSING = """
MPI_Comm back, copies[2];
MPI_Request requests[2];
MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
for (int at = 0; at < 2; ++at) {
    MPI_Ibarrier(MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
}
MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
MPI_Comm_idup(back, &copies[1], &requests[1]);
MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
MPI_Comm_free(&copies[0]);
MPI_Comm_free(&copies[1]);
MPI_Comm_free(&back);
if (rank == 0) printf("2\\n");
"""


@pytest.mark.parametrize("calls", [BESIDE, CROSSING])
def test_a_duplicate_beside_the_program_has_a_number_of_its_own(calls, tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app",
                   written(tmp_path, program_of(calls)), timeout=60)
    assert said_by(outcome, 0) == ["2"]


# The hole has room for a communicator with an attribute, not for the call that goes on beside it.
NO_ROOM = """
static int drops;
static int drop(MPI_Comm comm, int key, void *value, void *extra) { return ++drops, MPI_SUCCESS; }
static void *volatile taken, *volatile hole, *volatile first;
""", """
int key, code;
MPI_Comm one, copy = MPI_COMM_SELF;
MPI_Request request;
MPI_Comm_create_keyval(MPI_COMM_DUP_FN, drop, &key, NULL);
MPI_Comm_dup(MPI_COMM_SELF, &one);
MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
MPI_Comm_set_attr(one, key, &value);
hole = malloc(400);
first = malloc(1 << 16);
for (int bytes = 1 << 22; bytes >= 8; bytes /= 2)
    while ((taken = malloc(bytes)) != NULL)
        ;
free(hole);
code = MPI_Comm_idup(one, &copy, &request);
printf("%d %d %d\\n", code == MPI_ERR_NO_MEM, copy == MPI_COMM_NULL, drops);
free(first);
MPI_Comm_free(&one);
"""


def test_a_duplicate_without_memory_leaves_nothing(tmp_path):
    outcome = mesh("run", "--dim", 1, "--app",
                   written(tmp_path, NO_ROOM[0] + program_of(NO_ROOM[1])))
    assert said_by(outcome, 0) == ["1 1 1"]


def test_a_get_may_have_room_for_more_than_it_asks_for(tmp_path):
    # MPICH takes as much as there is room for, so this is no part of windows.c.
    calls = ("int mine[4] = {rank, 5, 6, 7}, got[4] = {-1, -1, -1, -1}; MPI_Win win;"
             "MPI_Win_create(mine, sizeof mine, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
             "MPI_Win_fence(0, win); MPI_Get(got, 4, MPI_INT, 1 - rank, 0, 2, MPI_INT, win);"
             "MPI_Win_fence(MPI_MODE_NOSUCCEED, win); MPI_Win_free(&win);"
             'printf("%d %d %d\\n", got[0], got[1], got[2]);')
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(calls)))
    assert said_by(outcome, 0) == ["1 5 -1"]


def test_a_message_beyond_one_packet_of_the_board_waits_for_its_receive(tmp_path):
    calls = ("char block[600] = {0};"
             "MPI_Send(block, BYTES, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD);"
             "MPI_Recv(block, 600, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
    for size, status in (("200", 0), ("600", 1)):
        outcome = mesh("run", "--engine", "sim", "--board", "lm3s6965evb", "--dim", 1, "--app",
                       written(tmp_path, program_of(calls.replace("BYTES", size))))
        assert outcome.status == status, outcome
    assert "waits for its MPI message with tag 5 to be received" in outcome.err, outcome


def test_the_status_of_main_is_the_verdict_of_its_node(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of("value = rank;")))
    assert outcome.status == 1 and re.search(r"node 1\b.*failed", outcome.err), outcome


@pytest.mark.parametrize("engine", [["sim"], ["qemu", "--lockstep"]])
def test_a_c_program_with_warnings_is_built_and_they_are_shown(engine, tmp_path):
    file = written(tmp_path, program_of("int unused; long most = 7; printf(\"%u\\n\", most);"))
    outcome = mesh("run", "--engine", *engine, "--dim", 1, "--app", file)
    assert outcome.status == 0 and console(outcome) == {0: ["7"], 1: ["7"]}, outcome
    for warning in ("[-Wunused-variable]", "[-Wformat=]"):
        assert warning in outcome.err, outcome
    strict = mesh("build", "--strict-warnings", file, "-o", tmp_path / "strict")
    assert strict.status == 2 and "[-Werror=unused-variable]" in strict.err, strict


def test_a_program_without_main_or_app_main_is_refused(tmp_path):
    outcome = mesh("build", written(tmp_path, "int other(void) { return 1; }"), "-o",
                   tmp_path / "some")
    assert outcome.status == 2, outcome
    assert "no file has the function `mesh::Process app_main(mesh::Kernel& node)`, or main()" in (
        outcome.err), outcome


def test_a_program_is_built_again_when_a_library_is_newer(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = written(tmp_path, program_of("value = 0;"))
    os.utime(file, (1, 1))
    run = ("run", "--engine", "sim", "--dim", 1, "--app", file)
    assert mesh(*run).status == 0
    program, = (one for one in (tmp_path / "meshputer").iterdir() if one.suffix != ".files")
    built = program.stat().st_mtime
    assert mesh(*run).status == 0 and program.stat().st_mtime == built
    older = (BUILD / "host" / "libstate.a").stat().st_mtime - 0.01
    os.utime(program, (older, older))
    assert mesh(*run).status == 0 and program.stat().st_mtime > older


def test_the_page_says_of_each_call_whether_it_is_there():
    declared = re.findall(r"^(?:int|double|MPI_Aint) (P?MPIX?_\w+)\(",
                          (BUILD / "calls" / "mpi_calls.h").read_text(), re.M) + ["MPI_Pcontrol"]
    rows = re.findall(r"^\| ((?:`MPIX?_\w+` ?)+) \| (yes|part: )",
                      (ROOT / "firmware" / "mpi" / "README.md").read_text(), re.M)
    told = [name for names, _ in rows for name in re.findall(r"MPIX?_\w+", names)]
    calls = [name for name in declared if name.startswith("MPI")]
    assert len(told) == len(set(told)) and sorted(told) == sorted(
        name for name in calls if not name.endswith("_c")), set(told) ^ set(calls)
    assert {f"P{name}" for name in calls} - set(declared) == {"PMPI_Pcontrol"}


# Numbers of the ABI, as the Forum has published them (MPI 5.0, chapter 20 and appendix A).
PUBLISHED = {
    "OP_NULL": 0x20, "SUM": 0x21, "MIN": 0x22, "MAX": 0x23, "PROD": 0x24, "BAND": 0x28, "BOR": 0x29,
    "BXOR": 0x2A, "LAND": 0x30, "LOR": 0x31, "LXOR": 0x32, "MINLOC": 0x38, "MAXLOC": 0x39,
    "COMM_NULL": 0x100, "COMM_WORLD": 0x101, "COMM_SELF": 0x102, "GROUP_NULL": 0x108,
    "GROUP_EMPTY": 0x109, "INFO_NULL": 0x130, "ERRHANDLER_NULL": 0x140, "ERRORS_ARE_FATAL": 0x141,
    "ERRORS_RETURN": 0x142, "REQUEST_NULL": 0x180, "DATATYPE_NULL": 0x200, "AINT": 0x201,
    "COUNT": 0x202, "OFFSET": 0x203, "PACKED": 0x207, "SHORT": 0x208, "INT": 0x209, "LONG": 0x20A,
    "LONG_LONG": 0x20B, "UNSIGNED_SHORT": 0x20C, "UNSIGNED": 0x20D, "UNSIGNED_LONG": 0x20E,
    "UNSIGNED_LONG_LONG": 0x20F, "FLOAT": 0x210, "C_FLOAT_COMPLEX": 0x212, "DOUBLE": 0x214,
    "C_DOUBLE_COMPLEX": 0x216, "LONG_DOUBLE": 0x220, "FLOAT_INT": 0x228, "DOUBLE_INT": 0x229,
    "LONG_INT": 0x22A, "2INT": 0x22B, "SHORT_INT": 0x22C, "LONG_DOUBLE_INT": 0x22D, "C_BOOL": 0x238,
    "WCHAR": 0x23C, "INT8_T": 0x240, "UINT8_T": 0x241, "CHAR": 0x243, "SIGNED_CHAR": 0x244,
    "UNSIGNED_CHAR": 0x245, "BYTE": 0x247, "INT16_T": 0x248, "UINT16_T": 0x249, "INT32_T": 0x250,
    "UINT32_T": 0x251, "INT64_T": 0x258, "UINT64_T": 0x259,
    "ANY_SOURCE": -1, "ANY_TAG": -2, "PROC_NULL": -3, "ROOT": -4, "UNDEFINED": -32766,
    "THREAD_SINGLE": 0, "THREAD_FUNNELED": 1024, "THREAD_SERIALIZED": 2048, "THREAD_MULTIPLE": 4096,
    "MESSAGE_NULL": 0x128, "MESSAGE_NO_PROC": 0x129, "WIN_NULL": 0x110, "DISTRIBUTE_BLOCK": 17,
    "DISTRIBUTE_CYCLIC": 18, "DISTRIBUTE_NONE": 16, "DISTRIBUTE_DFLT_DARG": 19,
    "COMBINER_NAMED": 101, "COMBINER_STRUCT": 110, "COMBINER_RESIZED": 116, "TYPECLASS_REAL": 193,
    "LOCK_EXCLUSIVE": 301, "LOCK_SHARED": 302, "WIN_BASE": 601, "WIN_SIZE": 603,
    "MODE_NOSUCCEED": 16384, "WIN_FLAVOR_CREATE": 311, "WIN_UNIFIED": 321, "ERR_WIN": 56,
    "ERR_RMA_SYNC": 50, "ERR_RMA_RANGE": 48, "ERR_LOCKTYPE": 37,
    "ORDER_C": 12, "ORDER_FORTRAN": 15, "IDENT": 201, "CONGRUENT": 202, "SIMILAR": 203,
    "UNEQUAL": 204, "CART": 211, "TAG_UB": 501, "WTIME_IS_GLOBAL": 504, "SUCCESS": 0,
    "ERR_BUFFER": 1, "ERR_COUNT": 2, "ERR_TYPE": 3, "ERR_TAG": 4, "ERR_COMM": 5, "ERR_RANK": 6,
    "ERR_REQUEST": 7, "ERR_ROOT": 8, "ERR_GROUP": 9, "ERR_OP": 10, "ERR_TOPOLOGY": 11,
    "ERR_DIMS": 12, "ERR_ARG": 13, "ERR_TRUNCATE": 15, "ERR_OTHER": 16, "ERR_IN_STATUS": 19,
    "ERR_INFO_KEY": 31, "ERR_INFO_NOKEY": 32, "ERR_INFO_VALUE": 33, "ERR_INFO": 34,
    "ERR_KEYVAL": 36, "MAX_INFO_KEY": 256, "MAX_INFO_VAL": 1024, "COMM_NULL_COPY_FN": 0,
    "COMM_DUP_FN": 1, "ERR_NO_MEM": 39, "MAX_PROCESSOR_NAME": 256, "MAX_ERROR_STRING": 512,
    "BSEND_OVERHEAD": 512, "IN_PLACE": 1, "BOTTOM": 0,
}
LAYOUT = """
#include <stddef.h>
_Static_assert(sizeof(MPI_Status) == 8 * sizeof(int), "");
_Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0, "");
_Static_assert(offsetof(MPI_Status, MPI_TAG) == sizeof(int), "");
_Static_assert(offsetof(MPI_Status, MPI_ERROR) == 2 * sizeof(int), "");
_Static_assert(sizeof(MPI_Aint) == sizeof(void *) && (MPI_Aint)-1 < 0, "");
_Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8, "");
_Static_assert(sizeof(MPI_Comm) == sizeof(void *), "");
"""


def test_numbers_and_layouts_are_those_of_the_published_abi(tmp_path):
    claims = [f"MPI_{name}, {value}" for name, value in PUBLISHED.items()]
    text = LAYOUT + "int main(void) {\n" + "".join(
        f'if ((MPI_Aint){claim.split(",")[0]} != {claim.split(",")[1]}) return {line + 1};\n'
        for line, claim in enumerate(claims)) + 'printf("all\\n"); return 0; }\n'
    for engine in ("sim", "qemu"):
        outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", written(tmp_path, text))
        assert said_by(outcome, 0) == ["all"], outcome


CLOCKS = """
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    struct timeval before, after;
    char *copy = strdup("copy");
    gettimeofday(&before, NULL);
    sleep(2), usleep(500000);
    gettimeofday(&after, NULL), srand((unsigned)time(NULL));
    printf("%s %d %d\\n", copy, (int)time(NULL),
           (int)((after.tv_sec - before.tv_sec) * 10 + (after.tv_usec - before.tv_usec) / 100000));
    free(copy);
    while (clock() < 3 * CLOCKS_PER_SEC) {}
    return 0;
}
"""


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_the_time_of_c_is_model_time(engine, tmp_path):
    outcome = mesh("run", "--engine", engine, "--lockstep", "--dim", 1, "--app",
                   written(tmp_path, CLOCKS))
    assert said_by(outcome, 0) == ["copy 1700000003 25"] == said_by(outcome, 1)
