"""Meshes that stand alone: emulators whose serial lines QEMU joins, no mesh process anywhere. Node
0 numbers the others, all begin the program of their images, and the line of node 0 has the answer.
"""
import pytest

from alone_mesh import AloneMesh
from mesh_tool import BUILD, console, mesh

pytestmark = pytest.mark.free

BOARD = "ast1030-evb"


def answer(nodes):
    """Of pi on so many nodes, by the simulation."""
    outcome = mesh("run", "--engine", "sim", "--dim", nodes, "--app", "pi")
    return console(outcome)[0]


def image(app):
    return BUILD / BOARD / "alone" / f"{app}.elf"


def test_sixteen_nodes_find_their_numbers_and_print_their_answer_on_the_line_of_node_0():
    with AloneMesh(BOARD, 4, image("pi")) as there:
        assert there.lines(1) == answer(4)


def test_a_node_that_comes_late_gets_its_number_then():
    with AloneMesh(BOARD, 2, image("pi")) as there:
        there.lines(1)
        for node in range(4):
            there.power_off(node)
        for node in (0, 3, 1):  # nobody answers before the last one is there
            there.power_on(node)
        assert there.read(2) == b""
        there.power_on(2)
        assert there.lines(1) == answer(2)


def test_a_reset_of_node_0_begins_a_new_numbering_and_all_nodes_begin_anew():
    with AloneMesh(BOARD, 2, image("pi")) as there:
        for _ in range(3):
            assert there.lines(1) == answer(2)
            there.nodes[0].stdin.write(b"system_reset\n")


def test_a_host_takes_over_a_mesh_that_stands_alone():
    with AloneMesh(BOARD, 2, image("hello")) as there:
        assert there.lines(1) == ["hello, neighbours are 1 2"]
        there.hang_up()
        for _ in range(2):
            outcome = mesh("run", "--serial", there.device, "--board", BOARD, "--dim", 2, "--app",
                           BUILD / BOARD / "relay" / "hello.elf")
            assert outcome.status == 0, outcome
            assert console(outcome).keys() == {0, 1, 2, 3}, outcome
