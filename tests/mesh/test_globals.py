"""Globals of a program in a simulation change hands by the page: what is not written is free."""
import os
import subprocess

from mesh_tool import MESH, console, mesh, program



def test_each_node_has_the_pages_that_it_wrote_and_the_others_as_they_were_loaded():
    for more in (), ("--order", "drawn:3"), ("--faults", "drop:0.1,dup:0.1", "--seed", 5):
        outcome = mesh("run", "--engine", "sim", "--dim", 4, "--app", program("pages"), *more)
        assert outcome.status == 0, outcome
        assert console(outcome) == {node: ["0 wrong"] for node in range(16)}, outcome


def test_a_node_that_is_reset_finds_its_globals_as_they_were_loaded():
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--app", program("starts"), "--faults",
                   "restart:1@9", "--timeout", 2)
    assert console(outcome).get(1) == ["1 1", "1 1"], outcome


def test_a_large_array_costs_a_node_only_the_page_that_it_writes():
    largest = {}
    for dim in 1, 8:
        command = [MESH, "run", "--engine", "sim", "--dim", dim, "--app", program("large")]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        largest[dim] = usage.ru_maxrss
    assert largest[8] - largest[1] < 24 << 10, largest # KiB; whole copies are 50 MiB
