"""Requests of C programs over MPI: what is told of one that nobody completes, what is refused."""
import re

import pytest

from mesh_tool import mesh
from mpi_programs import program_of, said_by, written

FUNCTIONS = """
static int query(void *extra, MPI_Status *status) { return MPI_SUCCESS; }
static int drop(void *extra) { return MPI_ERR_OTHER; }
static int cancel(void *extra, int complete) { return MPI_SUCCESS; }
"""
START = "MPI_Request some; MPI_Grequest_start(query, drop, cancel, NULL, &some);"


def run(folder, calls, *words):
    return mesh("run", *words, "--dim", 1, "--app", written(folder, FUNCTIONS + program_of(calls)))


def test_a_wait_for_a_request_that_nobody_completes_is_told(tmp_path):
    outcome = run(tmp_path, START + "MPI_Wait(&some, MPI_STATUS_IGNORE);", "--engine", "sim")
    assert outcome.status == 1, outcome
    assert "node 0 waits for node 0 in MPI_Grequest_complete" in outcome.err, outcome


@pytest.mark.parametrize("calls, why", [
    ("MPI_Grequest_complete(some); MPI_Grequest_complete(some);",
     "MPI_Grequest_complete: no generalized request, or complete already"),
    ("MPI_Start(&some);", "MPI_Start: not a request"),
    ("MPI_Grequest_complete(some); MPI_Request_free(&some);",
     "MPI_Request_free: a function of the request refuses"),
    ("MPI_Grequest_complete(some); MPI_Waitall(1, &some, MPI_STATUSES_IGNORE);",
     "MPI_Waitall: the error is in the status"),
    ("MPI_Ibarrier(MPI_COMM_WORLD, &some); MPI_Cancel(&some);",
     "MPI_Cancel: only messages are cancelled"),
    ("MPI_Win win; MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);"
     "MPI_Win_lock_all(0, win); MPI_Rget(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win, &some);"
     "MPI_Cancel(&some);", "MPI_Cancel: only messages are cancelled"),
])
def test_what_a_request_is_not_for_ends_the_run_and_says_why(calls, why, tmp_path):
    outcome = run(tmp_path, START + calls, "--engine", "sim")
    assert outcome.status == 1, outcome
    assert re.search(rf"mesh: node \d has ended the run: rank \d: {why}", outcome.err), outcome


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_a_send_is_taken_back_from_a_program_that_never_cancels(engine, tmp_path):
    files = {}
    for name, calls in (("quiet", ""), ("cancels", """
        MPI_Status status; MPI_Request some;
        MPI_Issend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &some);
        MPI_Cancel(&some); MPI_Wait(&some, &status);
        int cancelled = -1; MPI_Test_cancelled(&status, &cancelled);
        printf("cancelled %d\\n", cancelled);""")):
        (tmp_path / name).mkdir()
        files[name] = written(tmp_path / name, program_of(f"{calls} MPI_Barrier(MPI_COMM_WORLD);"))
    outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", files["quiet"],
                   "--app", f"{files['cancels']}@0")
    assert said_by(outcome, 0) == ["cancelled 1"]
