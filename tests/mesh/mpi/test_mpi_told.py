"""What is told of C programs over MPI: who waits for whom, which call is wrong, what is left."""
import re

import pytest

from mesh_tool import console, mesh
from mpi_programs import program_of, written

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
    place = r", (?:the first )?in main, [^,;]*some\.c:\d+"
    told = {rank: [re.sub(f"{place}$", "", line) for line in lines]
            for rank, lines in console(outcome).items()}
    types = "MPI_Finalize(): datatypes not freed: 2"
    assert told == {0: ["MPI_Finalize(): requests neither completed nor freed: 1",
                        "MPI_Finalize(): communicators not freed: 1", types], 1: [types]}, outcome
    assert outcome.status == 1 and re.search(
        rf"rank 0: requests neither completed nor freed{place};",
        outcome.err), outcome


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


def test_a_message_beyond_one_packet_of_the_board_waits_for_its_receive(tmp_path):
    calls = ("char block[600] = {0};"
             "MPI_Send(block, BYTES, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD);"
             "MPI_Recv(block, 600, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
    for size, status in (("200", 0), ("600", 1)):
        outcome = mesh("run", "--engine", "sim", "--board", "lm3s6965evb", "--dim", 1, "--app",
                       written(tmp_path, program_of(calls.replace("BYTES", size))))
        assert outcome.status == status, outcome
    assert "waits for its MPI message with tag 5 to be received" in outcome.err, outcome
