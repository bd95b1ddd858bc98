"""Windows of C programs over MPI: what is refused, and what a rank waits for."""
import importlib.util
import subprocess
import sys
import types

import pytest

from mesh_tool import ROOT, mesh
from mpi_programs import program_of, said_by, written

# Each rank waits for the one before to write into its window, by one of the four calls.
CHAIN = """
int mine = 0;
MPI_Win win;
MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
MPI_Win_lock_all(0, win);
for (value = 0; value < 2; ++value) {
    if (rank == value)
        MPI_Put(&size, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    while (*(volatile int *)&mine == 0) {
        if (rank == 0) MPI_Win_flush(rank, win);
        if (rank == 1) MPI_Win_flush_all(win);
        if (rank == 2) MPI_Win_flush_local(rank, win);
        if (rank == 3) MPI_Win_flush_local_all(win);
    }
    if (rank != value)
        MPI_Put(&size, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    mine = 0;
    MPI_Barrier(MPI_COMM_WORLD);
}
MPI_Win_unlock_all(win);
MPI_Win_free(&win);
value = 0;
printf("all\\n");
"""


def test_a_rank_that_flushes_in_a_loop_sees_its_window_change(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app",
                   written(tmp_path, program_of(CHAIN)), timeout=60)
    assert said_by(outcome, 0) == ["all"]


# What is attached: two parts side by side, and a gap of one word behind them.
ATTACHED = """
int words[8] = {0}, got = -1, codes[9], all = 0;
MPI_Aint place;
MPI_Win win;
MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
MPI_Win_attach(win, words, 2 * sizeof(int));
MPI_Win_attach(win, words + 2, 2 * sizeof(int));
MPI_Win_attach(win, words + 5, 2 * sizeof(int));
MPI_Get_address(words, &place);
MPI_Sendrecv_replace(&place, 1, MPI_AINT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
MPI_Win_lock_all(0, win);
MPI_Put(words, 4, MPI_INT, 1 - rank, place, 4, MPI_INT, win);
codes[0] = MPI_Win_flush(1 - rank, win);
MPI_Put(words, 6, MPI_INT, 1 - rank, place, 6, MPI_INT, win);
codes[1] = MPI_Win_flush_all(win);
MPI_Fetch_and_op(&rank, &got, MPI_INT, 1 - rank, place + 16, MPI_SUM, win);
codes[2] = MPI_Win_flush(1 - rank, win);
MPI_Get(&got, 1, MPI_INT, 1 - rank, place + 20, 1, MPI_INT, win);
codes[3] = MPI_Win_flush(1 - rank, win);
MPI_Put(words, 4, MPI_INT, 1 - rank, -8, 4, MPI_INT, win);
codes[4] = MPI_Win_flush(1 - rank, win);
MPI_Get(&got, 1, MPI_INT, 1 - rank, place + 16, 1, MPI_INT, win);
codes[5] = MPI_Win_flush_local(1 - rank, win);
MPI_Get(&got, 1, MPI_INT, 1 - rank, place + 16, 0, MPI_INT, win);
codes[6] = MPI_Win_flush_local_all(win);
MPI_Win_flush(1 - rank, win);
MPI_Barrier(MPI_COMM_WORLD);
MPI_Win_detach(win, words + 2);
MPI_Barrier(MPI_COMM_WORLD);
MPI_Put(words, 3, MPI_INT, 1 - rank, place, 3, MPI_INT, win);
codes[7] = MPI_Win_unlock_all(win);
MPI_Win_fence(0, win);
codes[8] = MPI_Win_fence(0, win);
for (int at = 0; at < 9; ++at)
    all = 2 * all + (codes[at] == MPI_ERR_RMA_RANGE);
MPI_Win_free(&win);
printf("%d %d %d\\n", size, all, got);
"""


def test_an_access_outside_of_what_is_attached_is_refused_where_the_program_waits(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(ATTACHED)))
    told = [f"2 {0b011011010} 0"]
    assert said_by(outcome, 0) == told and said_by(outcome, 1) == told


# What is asked lies in the heap until it is done: a rank asks for 16 KiB at most, then it waits.
BOUND = """
static char block[4000], mine[4000];
double before, four, five;
MPI_Win win;
MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
MPI_Win_fence(0, win);
before = MPI_Wtime();
for (int at = 0; at < 4; ++at)
    MPI_Put(block, 4000, MPI_BYTE, 1 - rank, 0, 4000, MPI_BYTE, win);
four = MPI_Wtime();
MPI_Put(block, 4000, MPI_BYTE, 1 - rank, 0, 4000, MPI_BYTE, win);
five = MPI_Wtime();
MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
MPI_Win_free(&win);
printf("%d %d %d\\n", size, four == before, five - four > 0.016);
"""


def test_a_put_waits_when_16_kib_are_under_way(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--tau", 1, "--tc", 0.001, "--app",
                   written(tmp_path, program_of(BOUND)))
    assert said_by(outcome, 0) == ["2 1 1"]


# To many targets at once a rank asks for 64 KiB at most.
BOUND_OF_ALL = """
static char block[12000], mine[12000];
double before, five, six;
MPI_Win win;
MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
MPI_Win_fence(0, win);
before = five = six = MPI_Wtime();
if (rank == 0) {
    for (int at = 1; at < 6; ++at)
        MPI_Put(block, 12000, MPI_BYTE, at, 0, 12000, MPI_BYTE, win);
    five = MPI_Wtime();
    MPI_Put(block, 12000, MPI_BYTE, 6, 0, 12000, MPI_BYTE, win);
    six = MPI_Wtime();
}
MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
MPI_Win_free(&win);
printf("%d %d %d\\n", size, five == before, six - five > 0.06);
"""


def test_puts_to_many_ranks_wait_when_64_kib_are_under_way(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--tau", 1, "--tc", 0.001, "--app",
                   written(tmp_path, program_of(BOUND_OF_ALL)))
    assert said_by(outcome, 0) == ["8 1 1"]


# Rank 0 waits in MPI_Win_start() or MPI_Win_wait() for what rank 1 never calls, or for its lock.
STUCK = {
    "MPI_Win_start": "MPI_Win_start(other, 0, win);",
    "MPI_Win_wait": "MPI_Win_post(other, 0, win); MPI_Win_wait(win);",
    "a call for a window": "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);"}
STUCK_AT = """
MPI_Win win;
MPI_Group world, other;
MPI_Comm_group(MPI_COMM_WORLD, &world);
value = 1;
MPI_Group_incl(world, 1, &value, &other);
MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
if (rank == 1)
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
MPI_Barrier(MPI_COMM_WORLD);
if (rank == 0) {
    %s
} else {
    MPI_Recv(&value, size, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
"""


@pytest.mark.parametrize("call", STUCK)
def test_a_wait_for_a_window_is_told_with_its_call(tmp_path, call):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app",
                   written(tmp_path, program_of(STUCK_AT % STUCK[call])))
    assert outcome.status == 1 and f"node 1 in {call}" in outcome.err, outcome


def debugger_words(monkeypatch):
    """What waits.py would load in gdb."""
    class Command:
        def __init__(self, *_):
            pass
    gdb = types.SimpleNamespace(Command=Command, COMMAND_STATUS=0, COMMAND_RUNNING=0)
    monkeypatch.setitem(sys.modules, "gdb", gdb)
    spec = importlib.util.spec_from_file_location("waits", ROOT /
                                                  "host-tools/mesh/engines/waits.py")
    waits = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(waits)
    return waits


def test_the_debugger_tells_the_calls_that_the_report_tells(tmp_path, monkeypatch):
    text = '''#include "mpi/engine/awaited.hpp"
        #include <cstdio>
        using namespace mesh::mpi;
        int main() {
            for (int tag = 1; tag < 1010; ++tag) {
                const auto calls = calls_with(tag);
                std::printf("%d node 1 in %.*s\\n", Awaited::kOfCollectives - tag,
                            static_cast<int>(calls.size()), calls.data());
            }
        }'''
    subprocess.run(["g++", "-std=c++20", f"-I{ROOT}/firmware", "-x", "c++", "-", "-o",
                    tmp_path / "calls"], input=text, text=True, check=True)
    told = subprocess.run([tmp_path / "calls"], capture_output=True, text=True, check=True).stdout
    waits = debugger_words(monkeypatch)
    ours = [f"{tag} " + waits.words_of_mpi({"node": 1, "tag": tag, "is_send": 0})
            for tag in range(-1001, -2010, -1)]
    assert ours == told.splitlines()


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
