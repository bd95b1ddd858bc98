"""Wrong calls of MPI: each is told with its call and the reason, and has the class of its error."""
import re

import pytest

from mesh_tool import BUILD, console, mesh, program
from mpi_programs import program_of, written

FREED = "it was freed or has ended"
NULL = "it is null"
NO_PLACE = "no place for the result: a null pointer"
WILD = "nobody has made it"
ONE = "not a buffer: the result goes there, too (MPI_IN_PLACE is for that)"

# Of tests/mesh/programs/wrong_calls.c: the class of the error, the call, what is said.
COMM, GROUP, TYPE, OP, REQUEST, ARG, INFO, WIN, KEYVAL = 5, 9, 3, 10, 7, 13, 34, 56, 36
INFO_KEY = 31
BUFFER, COUNT, TAG, RANK, ROOT, TRUNCATE = 1, 2, 4, 6, 8, 15
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
    "freed_member": (TYPE, f"MPI_Type_create_struct: not a datatype: {FREED}"),
    "freed_first_member": (TYPE, f"MPI_Type_create_struct: not a datatype: {FREED}"),
    "low_length": (COUNT, "MPI_Type_create_struct: not a count: -1, of 0 to 2147483647"),
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
    "high_rank": (RANK, "MPI_Send: not a rank: 2, of 0 to 1"),
    "low_rank": (RANK, "MPI_Recv: not a rank: -7, of 0 to 1"),
    "any_rank": (RANK, "MPI_Isend: not a rank: -1, of 0 to 1"),
    "low_tag": (TAG, "MPI_Send: not a tag: -3, of 0 to 2147483647"),
    "low_count": (COUNT, "MPI_Bcast: not a count: -1, of 0 to 2147483647"),
    "high_root": (ROOT, "MPI_Bcast: not a root: 9, of 0 to 1"),
    "rank_of_group": (RANK, "MPI_Group_incl: not a rank: 9, of 0 to 1"),
    "null_sent": (BUFFER, "MPI_Send: not a buffer: it is null"),
    "null_received": (BUFFER, "MPI_Irecv: not a buffer: it is null"),
    "null_broadcast": (BUFFER, "MPI_Bcast: not a buffer: it is null"),
    "null_gathered": (BUFFER, "MPI_Gather: not a buffer: it is null"),
    "null_scattered": (BUFFER, "MPI_Scatter: not a buffer: it is null"),
    "null_reduced": (BUFFER, "MPI_Reduce: not a buffer: it is null"),
    "null_all": (BUFFER, "MPI_Alltoall: not a buffer: it is null"),
    "one_reduced": (BUFFER, f"MPI_Allreduce: {ONE}"),
    "one_scanned": (BUFFER, f"MPI_Scan: {ONE}"),
    "overlapping": (BUFFER, f"MPI_Allreduce: {ONE}"),
    "one_gathered": (BUFFER, f"MPI_Allgather: {ONE}"),
    "one_exchanged": (BUFFER, f"MPI_Alltoall: {ONE}"),
    "one_scattered": (BUFFER, f"MPI_Scatter: {ONE}"),
    "own_size": (TRUNCATE, "MPI_Gather: this rank gives itself another size than it takes"),
    "much_sent": (COUNT, "MPI_Send: 2 GiB or more of data"),
    "much_reduced": (COUNT, "MPI_Allreduce: 2 GiB or more of data"),
    "large_type": (COUNT, "MPI_Type_contiguous: a datatype of 2 GiB or more"),
    "large_vector": (COUNT, "MPI_Type_vector: a datatype of 2 GiB or more"),
    "large_struct": (COUNT, "MPI_Type_create_struct: a datatype of 2 GiB or more"),
    "packed_size": (COUNT, "MPI_Pack_size: 2 GiB or more of data"),
    "no_place": (ARG, f"MPI_Comm_rank: {NO_PLACE}"),
    "no_place_dup": (ARG, f"MPI_Comm_dup: {NO_PLACE}"),
    "no_place_type": (ARG, f"MPI_Type_contiguous: {NO_PLACE}"),
    "no_place_request": (ARG, f"MPI_Irecv: {NO_PLACE}"),
    "no_requests": (ARG, f"MPI_Waitall: {NO_PLACE}"),
    "no_place_later": (ARG, f"MPI_Ibarrier: {NO_PLACE}"),
    "not_persistent": (REQUEST, "MPI_Start: not a request to start: it has begun"),
    "bytes_added": (OP, "MPI_Allreduce: not an operation for this datatype"),
    "bytes_and": (OP, "MPI_Allreduce: not an operation for this datatype"),
    "twice_left_out": (RANK, "MPI_Group_excl: a rank is there twice"),
    "twice_in_ranges": (RANK, "MPI_Group_range_incl: a rank is there twice"),
    "twice_in_left_out": (RANK, "MPI_Group_range_excl: a rank is there twice"),
    "other_members": (GROUP, "MPI_Comm_create: a rank of it is not in the communicator"),
    "no_function": (ARG, "MPI_Op_create: no function: a null pointer"),
    "no_handling": (ARG, "MPI_Comm_create_errhandler: no function: a null pointer"),
    "no_questions": (ARG, "MPI_Grequest_start: no function: a null pointer"),
    "handler_of_session": (ARG, f"MPI_Session_init: not an error handler: {FREED}"),
    "handler_of_group": (ARG, f"MPI_Comm_create_from_group: not an error handler: {FREED}"),
    "low_room": (ARG, "MPI_Info_get: not a length: it is negative"),
    "long_key": (INFO_KEY, "MPI_Info_set: a key has 1 to 255 letters"),
    "null_packed": (BUFFER, "MPI_Pack: not a buffer: it is null"),
    "null_unpacked": (BUFFER, "MPI_Unpack: not a buffer: it is null"),
    "null_packed_outside": (BUFFER, "MPI_Pack_external: not a buffer: it is null"),
    "packed_before": (ARG, "MPI_Pack: not a place in the buffer"),
    "unpacked_before": (ARG, "MPI_Unpack: not a place in the buffer"),
    "packed_outside_before": (ARG, "MPI_Pack_external: not a place in the buffer"),
    "edge_of_graph": (ARG, "MPI_Graph_create: the lists are no graph of so many nodes"),
    "ends_of_graph": (ARG, "MPI_Graph_create: the lists are no graph of so many nodes"),
    "low_degree": (COUNT, "MPI_Dist_graph_create: not a count: -1, of 0 to 2147483647"),
    "high_edge": (RANK, "MPI_Dist_graph_create: not a rank: 9, of 0 to 1"),
    "no_place_bound": (ARG, f"MPI_Type_get_extent: {NO_PLACE}"),
    "no_place_status": (ARG, f"MPI_Status_set_elements: {NO_PLACE}"),
    "low_requests": (COUNT, "MPI_Waitany: not a count: -1, of 0 to 2147483647"),
    "low_starts": (COUNT, "MPI_Startall: not a count: -1, of 0 to 2147483647"),
    "no_starts": (ARG, f"MPI_Startall: {NO_PLACE}"),
    "far_vector": (COUNT, "MPI_Type_create_hvector: a datatype that reaches over 2 GiB or more"),
    "far_resized": (COUNT, "MPI_Type_create_resized: a datatype that reaches over 2 GiB or more"),
    "far_array": (COUNT, "MPI_Type_create_subarray: a datatype that reaches over 2 GiB or more"),
    "other_order": (ARG, "MPI_Type_create_darray: not an order"),
    "far_dealt_out": (COUNT, "MPI_Type_create_darray: a datatype that reaches over 2 GiB or more"),
    "low_neighbors": (COUNT, "MPI_Neighbor_allgather: not a count: -1, of 0 to 2147483647"),
    "null_neighbors": (BUFFER, "MPI_Neighbor_allgather: not a buffer: it is null"),
    "floats_swapped": (TYPE, "MPI_Compare_and_swap: only for integers and bytes"),
}


def test_each_class_is_one_of_those_that_the_call_names():
    header = (BUILD / "calls" / "mpi_calls.h").read_text()
    classes = {int(number): name for file in ("mpi.h", "mpi_windows.h") for name, number in
               re.findall(r"(MPI_ERR_\w+) = (\d+)", (BUILD / "include/mpi" / file).read_text())}
    told = {call: re.findall(r"MPI_ERR_\w+", words) for words, call in re.findall(
        r"/\*\* (.*?) \*/\n\w+ (MPIX?_\w+)\(", header, re.S)}
    for name, (number, said) in CALLS.items():
        assert classes[number] in told[said.partition(":")[0]], name


# The place of the program, which a simulation says.
PLACE = r", in \w+, \S*tests/mesh/programs/wrong_\w+\.c:\d+(?:, called from [^;]*)?"


@pytest.mark.parametrize("engine", [["sim"], ["qemu", "--lockstep"]])
def test_each_wrong_call_returns_the_class_of_its_error_and_the_program_goes_on(engine):
    outcome = mesh("run", "--engine", *engine, "--dim", 1, "--app", program("wrong_calls"))
    told = [line for line in console(outcome)[0] if not line.startswith("MPI_Finalize()")]
    assert told == [f"{name}: {error}" for name, (error, _) in CALLS.items()], outcome
    # It leaves what calls that were refused would have ended.
    assert outcome.status == 1, outcome
    assert re.search("rank [01]: requests neither completed nor freed", outcome.err), outcome


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_is_told_with_its_name_and_the_reason(name):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("wrong_calls"), "--",
                   name)
    assert outcome.status == 1, outcome
    said = re.search(rf"node \d has ended the run: rank \d: (.*?){PLACE};", outcome.err)
    assert said and said[1] == CALLS[name][1], outcome


# Of tests/mesh/programs/wrong_together.c: what ends the run, in a simulation, and on a board.
DISAGREE = "the ranks do not agree about"
TOGETHER = {
    "bcast_size": f"MPI_Bcast: {DISAGREE} the size",
    "ibcast_size": f"MPI_Ibcast: {DISAGREE} the size",
    "row_bcast_size": f"MPI_Bcast: {DISAGREE} the size",
    "row_bcast_less": f"MPI_Bcast: {DISAGREE} the size",
    "row_bcast_root": f"MPI_Bcast: {DISAGREE} the root",
    "allreduce_op": f"MPI_Allreduce: {DISAGREE} the operation",
    "allreduce_type": f"MPI_Allreduce: {DISAGREE} the datatype",
    "iallreduce_op": f"MPI_Iallreduce: {DISAGREE} the operation",
    "row_reduce_op": f"MPI_Reduce: {DISAGREE} the operation",
    "row_reduce_type": f"MPI_Reduce: {DISAGREE} the datatype",
    "row_reduce_size": f"MPI_Reduce: {DISAGREE} the size",
    "scan_op": f"MPI_Scan: {DISAGREE} the operation",
    "gather_more": f"MPI_Gather: {DISAGREE} the size",
    "gather_less": f"MPI_Gather: {DISAGREE} the size",
    "scatter_less": f"MPI_Scatter: {DISAGREE} the size",
    "allgather_more": f"MPI_Allgather: {DISAGREE} the size",
    "two_comms": f"MPI_Allreduce: {DISAGREE} what is to be done",
    "left_in_row": f"MPI_Bcast: {DISAGREE} the root",
    "other_call": rf"MPI_\w+: {DISAGREE} the call",
    "other_order": rf"MPI_\w+: {DISAGREE} the call",
}
ON_BOARDS = {
    "ibcast_size": "MPI_Bcast: rank 0 gives 8 bytes where 4 are expected",
    "allreduce_op": f"MPI_Allreduce: {DISAGREE} what is to be done",
    "scan_op": r"MPI_Scan: rank \d has another operation",
    "two_comms": f"MPI_Allreduce: {DISAGREE} what is to be done",
}
ENGINES = {"sim": ["sim"], "qemu": ["qemu", "--lockstep"]}


@pytest.mark.parametrize("engine, name", [("sim", name) for name in TOGETHER] +
                         [("qemu", name) for name in ON_BOARDS])
def test_ranks_that_do_not_agree_are_told_about_what(engine, name):
    outcome = mesh("run", "--engine", *ENGINES[engine], "--dim", 2, "--app",
                   program("wrong_together"), "--", name)
    assert outcome.status == 1 and "firmware stopped" not in outcome.err, outcome
    why = f"{TOGETHER[name]}{PLACE}" if engine == "sim" else ON_BOARDS[name]
    assert re.search(rf"node \d has ended the run: rank \d: {why};", outcome.err), outcome


# With MPI_ERRORS_RETURN: where, the code of each rank, what the ranks call.
GO_ON = {
    "at a root above others": (["--ranks", 5], [0, 0, ARG, 0, 0], """
        value = MPI_Reduce(&rank, &size, 1, MPI_INT, rank == 3 ? MPI_MAX : MPI_SUM, 2,
                           MPI_COMM_WORLD);"""),
    "between two groups": (["--dim", 2], [TRUNCATE, TRUNCATE, 0, 0], """
        int in[2] = {0}, out[2];
        MPI_Comm half, both;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
        value = MPI_Allreduce(in, out, 1 + rank % 2, MPI_INT, MPI_SUM, both);
        MPI_Comm_free(&half);
        MPI_Comm_free(&both);"""),
}


@pytest.mark.parametrize("name", GO_ON)
def test_ranks_that_are_told_of_an_error_return_it_and_keep_nobody_waiting(name, tmp_path):
    where, codes, calls = GO_ON[name]
    text = program_of(f"""MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        {calls} printf("%d\\n", value); value = 0;""")
    outcome = mesh("run", "--engine", "sim", *where, "--app", written(tmp_path, text))
    assert outcome.status == 0, outcome
    assert console(outcome) == {rank: [str(code)] for rank, code in enumerate(codes)}, outcome


def test_a_node_that_has_stopped_is_told_before_those_that_miss_it():
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("wrong_together"), "--",
                   "stops")
    assert re.search(r"mesh: node 1 firmware stopped: no access .*wrong_together\.c:\d+.*; "
                     rf"node \d has ended the run: rank \d: MPI_\w+: a node does not answer{PLACE}"
                     ";", outcome.err), outcome


# What is told, and keeps nobody from going on.
NOTES = {
    "types": {1: ["MPI: rank 0 sends integers of 4 bytes with tag 7, and they are received as "
                  "floating point of 8 bytes"]},
    "types_alike": {},
    "one_buffer": {rank: ["MPI: two receives have one buffer, with tags 1 and 2"]
                   for rank in range(4)},
    "two_buffers": {},
    "changed_sent": {rank: ["MPI: the program has changed the buffer of a send with tag 1 before "
                            "its end"] for rank in range(4)},
    "changed_received": {rank: ["MPI: the program has changed the buffer of a receive with tag 1 "
                                "before its end"] for rank in range(4)},
    "holes_changed": {},
    "looks": {0: ["MPI: looked 1000000 times in vain for a message of rank -1 with tag 9 (-1: any "
                  "rank, -2: any tag)"]},
}


@pytest.mark.parametrize("name", NOTES)
def test_what_is_no_error_and_yet_a_mistake_is_noted(name):
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("wrong_together"), "--",
                   name)
    place = rf",( begun)? in {name}, [^,;]*wrong_together\.c:\d+(, called from .*)?$"
    told = {rank: [re.sub(place, "", line) for line in lines]
            for rank, lines in console(outcome).items()}
    assert outcome.status == 0 and told == NOTES[name], outcome
    if name != "looks":
        assert all(re.search(place, line) for lines in console(outcome).values()
                   for line in lines), outcome


def test_a_message_that_nobody_receives_fails_the_run_and_is_told_at_the_end():
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", program("wrong_together"), "--",
                   "left")
    assert console(outcome) == {1: ["MPI_Finalize(): messages that nobody has received: 1",
                                    "MPI_Finalize(): the first has 12 bytes, from rank 0 with "
                                    "tag 8"]}, outcome
    assert outcome.status == 1 and re.search(
        rf"rank 1: messages that nobody has received{PLACE};", outcome.err), outcome


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_that_mpi_calls_may_call_mpi_and_a_rank_may_look_at_its_own_window(engine):
    outcome = mesh("run", "--engine", *ENGINES[engine], "--dim", 2, "--app", program("own_calls"))
    assert outcome.status == 0 and console(outcome) == {0: ["0 wrong"]}, outcome
