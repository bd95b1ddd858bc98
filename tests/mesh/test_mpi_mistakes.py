"""Wrong calls of MPI: each is told with its call and the reason, and is an error of the right class."""
import re

import pytest

from mesh_tool import console, mesh, program

FREED = "it was freed or has ended"
NULL = "it is null"
WILD = "nobody has made it"

# Of tests/mesh/programs/wrong_calls.c: the class of the error, the call, what is said.
COMM, GROUP, TYPE, OP, REQUEST, ARG, INFO, WIN, KEYVAL = 5, 9, 3, 10, 7, 13, 34, 56, 36
CALLS = {
    "freed_comm": (COMM, f"MPI_Barrier: not a communicator: {FREED}"),
    "null_comm": (COMM, f"MPI_Barrier: not a communicator: {NULL}"),
    "no_comm": (COMM, f"MPI_Comm_rank: not a communicator: {NULL}"),
    "wild_comm": (COMM, f"MPI_Send: not a communicator: {WILD}"),
    "other_comm": (COMM, "MPI_Comm_rank: not a communicator: an info"),
    "constant_comm": (COMM, "MPI_Comm_rank: not a communicator: it is a constant of another kind"),
    "comm_twice": (COMM, f"MPI_Comm_free: not a communicator: {FREED}"),
    "freed_group": (GROUP, f"MPI_Group_size: not a group: {FREED}"),
    "null_group": (GROUP, f"MPI_Comm_create: not a group: {NULL}"),
    "wild_group": (GROUP, f"MPI_Group_rank: not a group: {WILD}"),
    "other_group": (GROUP, "MPI_Group_rank: not a group: an info"),
    "group_twice": (GROUP, f"MPI_Group_free: not a group: {FREED}"),
    "freed_type": (TYPE, f"MPI_Send: not a datatype: {FREED}"),
    "freed_type_made": (TYPE, f"MPI_Type_contiguous: not a datatype: {FREED}"),
    "null_type": (TYPE, f"MPI_Bcast: not a datatype: {NULL}"),
    "wild_type": (TYPE, f"MPI_Type_size: not a datatype: {WILD}"),
    "other_type": (TYPE, "MPI_Type_size: not a datatype: an info"),
    "type_twice": (TYPE, f"MPI_Type_free: not a datatype: {FREED}"),
    "standard_type": (TYPE, "MPI_Type_free: the datatypes of the standard stay"),
    "freed_op": (OP, f"MPI_Allreduce: not an operation: {FREED}"),
    "null_op": (OP, f"MPI_Reduce: not an operation: {NULL}"),
    "wild_op": (OP, f"MPI_Scan: not an operation: {WILD}"),
    "op_twice": (OP, f"MPI_Op_free: not an operation: {FREED}"),
    "standard_op": (OP, "MPI_Op_free: the operations of the standard stay"),
    "ended_request": (REQUEST, f"MPI_Wait: not a request: {FREED}"),
    "ended_requests": (REQUEST, f"MPI_Waitall: not a request: {FREED}"),
    "tested_request": (REQUEST, f"MPI_Test: not a request: {FREED}"),
    "wild_request": (REQUEST, f"MPI_Wait: not a request: {WILD}"),
    "null_request": (REQUEST, f"MPI_Request_free: not a request: {NULL}"),
    "started_request": (REQUEST, f"MPI_Start: not a request: {FREED}"),
    "freed_handler": (ARG, f"MPI_Comm_set_errhandler: not an error handler: {FREED}"),
    "null_handler": (ARG, f"MPI_Comm_set_errhandler: not an error handler: {NULL}"),
    "handler_twice": (ARG, f"MPI_Errhandler_free: not an error handler: {FREED}"),
    "freed_info": (INFO, f"MPI_Info_set: not an info: {FREED}"),
    "null_info": (INFO, f"MPI_Info_get_nkeys: not an info: {NULL}"),
    "info_twice": (INFO, f"MPI_Info_free: not an info: {FREED}"),
    "ended_message": (REQUEST, f"MPI_Mrecv: not a message: {FREED}"),
    "freed_win": (WIN, f"MPI_Win_fence: not a window: {FREED}"),
    "null_win": (WIN, f"MPI_Win_fence: not a window: {NULL}"),
    "comm_as_win": (WIN, "MPI_Win_fence: not a window: an info"),
    "win_twice": (WIN, f"MPI_Win_free: not a window: {FREED}"),
    "freed_key": (KEYVAL, "MPI_Comm_set_attr: not a key of attributes: there is none such"),
    "no_key": (KEYVAL, "MPI_Comm_set_attr: not a key of attributes: MPI_KEYVAL_INVALID"),
    "key_twice": (KEYVAL, "MPI_Comm_free_keyval: not a key of attributes: there is none such"),
    "key_of_types": (KEYVAL, "MPI_Comm_set_attr: a key of attributes of another kind of object"),
}


@pytest.mark.parametrize("engine", [["sim"], ["qemu", "--lockstep"]])
def test_each_wrong_call_returns_the_class_of_its_error_and_the_program_goes_on(engine):
    outcome = mesh("run", "--engine", *engine, "--dim", 1, "--app", program("wrong_calls"))
    told = [line for line in console(outcome)[0] if not line.startswith("MPI_Finalize()")]
    assert told == [f"{name}: {error}" for name, (error, _) in CALLS.items()], outcome
    assert outcome.status == 0, outcome


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_is_told_with_its_name_and_the_reason(name):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("wrong_calls"), "--", name)
    assert outcome.status == 1, outcome
    said = re.search(r"node \d has ended the run: rank \d: (.*?);", outcome.err)
    assert said and said[1] == CALLS[name][1], outcome
