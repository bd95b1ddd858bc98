"""`mesh run --strict`: what MPI's standard calls erroneous ends the run, with the line."""
import re

import pytest

from mesh_tool import ROOT, console, mesh, program, refused

SOURCE = ROOT / "tests/mesh/programs/strict.c"
STORE, LOAD, FREE = "a store to memory that", "a load from memory that", "free() of memory that"
HAS = "has until its end (begun in"


def meets(one, other, owner):
    return rf"{one} meets {other} \(in \w+, \S+strict\.c:\d+\) in the memory of rank {owner}"


# Of tests/mesh/programs/strict.c: what is said of each mistake, as a regular expression.
MISTAKES = {
    "send_first": "its MPI message with tag 0 to be received by node 0: a circle",
    "scan_holds_message": "node 0 waits for .* from node 1, which waits for an MPI message with "
                          "tag 0 from node 0",
    "store_to_sent": re.escape(f"rank 0: {STORE} MPI_Isend {HAS}"),
    "store_elsewhere": re.escape(f"rank 0: {STORE} MPI_Isend {HAS}"),
    "copy_over_sent": "the program has changed the buffer of a send with tag 1 before its end",
    "load_of_received": re.escape(f"rank 0: {LOAD} MPI_Irecv {HAS}"),
    "store_to_received": re.escape(f"rank 0: {STORE} MPI_Irecv {HAS}"),
    "load_after_test": re.escape(f"rank 0: {LOAD} MPI_Irecv {HAS}"),
    "load_of_the_other": re.escape(f"rank 0: {LOAD} MPI_Irecv {HAS}"),
    "store_after_start": re.escape(f"rank 0: {STORE} MPI_Start {HAS}"),
    "store_between": re.escape(f"rank 0: {STORE} MPI_Isend {HAS}"),
    "free_of_sent": re.escape(f"rank 0: {FREE} MPI_Isend {HAS}"),
    "beyond_array": "MPI_Send: the buffer ends after 16 of 20 bytes",
    "beyond_block": "MPI_Bcast: the buffer ends after 12 of 16 bytes",
    "type_of_array": "MPI_Bcast: the buffer has floating point of 4 bytes, the datatype integers "
                     "of 4",
    "type_of_message": "rank 0 sends integers of 4 bytes with tag 1, and they are received as "
                       "floating point of 4 bytes",
    "product_of_truth": "MPI_Allreduce: not an operation for this datatype",
    "one_buffer": "two receives have one buffer, with tags 1 and 2",
    "group_left": "groups not freed",
    "put_changed": re.escape(f"rank 0: {STORE} MPI_Put {HAS}"),
    "get_used": re.escape(f"rank 0: {LOAD} MPI_Get {HAS}"),
    "put_meets_put": meets("MPI_Put", r"MPI_Put of rank \d", 0),
    "store_meets_get": meets("a store", "MPI_Get of rank 0", 1),
    "load_meets_put": meets("a load", "MPI_Put of rank 0", 1),
    "sum_meets_product": meets("MPI_Accumulate", r"MPI_Accumulate of rank \d", 0),
    "noput_and_put": meets("MPI_Put", "MPI_MODE_NOPUT of rank 1", 1),
    "noprecede_and_get": "MPI_Win_fence: MPI_MODE_NOPRECEDE is not so: the window was accessed",
    "put_in_locks": meets("MPI_Put", r"MPI_Put of rank \d", 0),
    "store_after_flush": re.escape(f"rank 0: {STORE} MPI_Put {HAS}"),
    "lock_in_fences": "MPI_Win_fence: an epoch of another kind lies between it and the last fence",
    "posted_store": meets("MPI_Put", "a store of rank 1", 1),
}


def run(*words, options=(), app=None):
    return mesh("run", "--engine", "sim", "--dim", 2, "--app", app or program("strict"), *options,
                *(["--", *words] if words else []))


def line_of(name):
    """Of the line that is to be told."""
    lines = SOURCE.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"/* {name} */"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_ends_the_run_with_its_kind_and_its_line(name):
    outcome = run(name, options=["--strict"])
    assert outcome.status == 1, outcome
    last = outcome.err.splitlines()[-1]
    assert re.search(MISTAKES[name], last), outcome
    assert f"strict.c:{line_of(name)}" in last, outcome


def test_the_right_twin_of_each_is_right():
    assert set(re.findall(r"ONE\((\w+)\)[,}]", SOURCE.read_text())) == set(MISTAKES)
    outcome = run(options=["--strict"])
    assert outcome.status == 0, outcome
    assert console(outcome) == {rank: ["through"] for rank in range(4)}
    assert "note:" not in outcome.err


# Those that the standard leaves open, or that no call can see.
@pytest.mark.parametrize("name", ["send_first", "scan_holds_message", "store_to_sent",
                                  "put_meets_put", "lock_in_fences"])
def test_they_are_through_where_nobody_asks(name):
    outcome = run(name)
    assert outcome.status == 0, outcome
    assert console(outcome)[0][-1] == "through"


@pytest.mark.parametrize("name", ["ring", "nonblocking", "windows", "types", "grid", "partitions",
                                  "neighbors", "profiled", "objects", "pairs", "sessions"])
def test_no_right_program_alarms(name):
    outcome = run(app=ROOT / f"tests/mesh/mpi/{name}.c", options=["--strict"])
    assert outcome.status == 0, outcome
    assert "MPI:" not in outcome.out and "MPI_Finalize()" not in outcome.out, outcome


@pytest.mark.parametrize("name", ["allsend", "matched", "communicators"])
def test_a_program_that_counts_on_buffering_waits_in_a_circle(name):
    outcome = run(app=ROOT / f"tests/mesh/mpi/{name}.c", options=["--strict"])
    assert outcome.status == 1, outcome
    assert "to be received by node 0: a circle" in outcome.err, outcome


def test_a_program_that_was_built_otherwise_is_run_and_that_is_said():
    outcome = run(app=program("mpi/ring"), options=["--strict"])
    assert outcome.status == 0, outcome
    assert "was made without mesh build --strict: its loads and stores are not looked at" in (
        outcome.err)


def test_the_last_of_several_senders_is_found_in_another_order():
    app = ROOT / "tests/mesh/programs/orders.c"
    outcome = mesh("run", "--engine", "sim", "--ranks", 3, "--app", app, "--strict", "--orders",
                   "all", "--", "last")
    assert outcome.status == 1, outcome
    assert "smallest order that fails" in outcome.err + outcome.out


def test_it_is_of_programs_over_mpi_in_a_simulation():
    refused(mesh("run", "--app", program("mpi/ring"), "--dim", 1, "--strict"), "--engine sim")
    refused(mesh("run", "--engine", "sim", "--app", "hello", "--dim", 1, "--strict"),
            "programs with one")
