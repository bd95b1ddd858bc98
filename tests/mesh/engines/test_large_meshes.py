"""What a large simulated mesh costs is what happens in it, and not how many nodes there are."""
import os
import subprocess

from mesh_tool import MESH

DIM = 13


def test_a_node_looks_at_no_record_of_nodes_that_it_never_heard_of():
    """Counted by pages that are touched: a node's records of all others are 16 pages here."""
    command = [MESH, "run", "--engine", "sim", "--dim", DIM, "--op", "bcast", "--bytes", 16]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert usage.ru_minflt < 10 * 2**DIM
