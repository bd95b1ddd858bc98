"""Globals of a program in a simulation change hands by the page: what is not written is free."""
import os
import subprocess

import pytest

from mesh_tool import MESH, console, mesh, program


@pytest.mark.parametrize("name", ["pages", "few_pages"])
def test_each_node_has_the_pages_that_it_wrote_and_the_others_as_they_were_loaded(name):
    for more in (), ("--order", "drawn:3"), ("--faults", "drop:0.1,dup:0.1", "--seed", 5):
        outcome = mesh("run", "--engine", "sim", "--dim", 4, "--app", program(name), *more)
        assert outcome.status == 0, outcome
        assert console(outcome) == {node: ["0 wrong"] for node in range(16)}, outcome


@pytest.mark.parametrize("name", ["starts", "many_starts"])
def test_a_node_that_is_reset_finds_its_globals_as_they_were_loaded(name):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program(name), "--faults",
                   "restart:1@9", "--timeout", 2)
    assert console(outcome).get(1) == ["1 1", "1 1"], outcome


def usage_of(dim, *words):
    """What a run has used of the machine."""
    command = [MESH, "run", "--engine", "sim", "--dim", dim, "--app", *words]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage


def test_a_turn_of_a_node_does_not_copy_what_is_large():
    """Processor time, which other work does not lengthen: it was fifty times that of the heap."""
    used = {}
    for where in "heap", "global":
        usage = usage_of(1, program("turns"), "--", where)
        used[where] = usage.ru_utime + usage.ru_stime
    assert used["global"] < 12 * used["heap"], used


def test_a_large_array_costs_a_node_only_the_page_that_it_writes():
    largest = {dim: usage_of(dim, program("large")).ru_maxrss for dim in (1, 8)}
    assert largest[8] - largest[1] < 24 << 10, largest # KiB; whole copies are 50 MiB
