"""A program prints and does the same on both engines, and every time."""
import pytest

from mesh_tool import console, probe

PRINTED = """\
float [1.500000] [2.5] [1.234500e+03] [0.12]
wide [123456789012] [-5497558138880] [18446744073709551615]
size [7] [-7] hex [0000beef] [0xff] left [left    ] right [   right]
star [    42] [42    ] [cu] [c] [%]
abcdef
next
too lon 15
""".splitlines()


def test_floating_point_has_the_same_bits_on_both_engines():
    sim, qemu = (probe(engine, "arithmetic", options=["--dim", 3]) for engine in ("sim", "qemu"))
    assert sim.status == 0 and qemu.status == 0, (sim, qemu)
    assert len(set(map(str, console(sim).values()))) == 8, sim
    assert console(sim) == console(qemu)


def test_what_is_printed_comes_out_whole_and_in_order(engine):
    outcome = probe(engine, "printing", options=["--dim", 1])
    assert outcome.status == 0, outcome
    lines = console(outcome)
    assert lines[1][-1] == "node 1 ends without a newline", outcome
    assert lines[0][:len(PRINTED)] == PRINTED, outcome
    long, end = lines[0][len(PRINTED):]
    assert long == "".join(f"{n % 10}," for n in range(1500)), outcome
    assert end == "node 0 ends without a newline", outcome


def test_numbers_are_printed_alike_on_both_engines():
    sim, qemu = (probe(engine, "printing", options=["--dim", 1]) for engine in ("sim", "qemu"))
    assert sim.status == 0 and len(console(sim)[1]) == 2 * 50 + 1, sim
    assert console(sim) == console(qemu), qemu


@pytest.mark.parametrize("again", range(3))
def test_lines_have_one_order_in_lockstep(again):
    sim, qemu = (probe(engine, "rounds", options=["--dim", 3, *more]) for engine, more in
                 (("sim", []), ("qemu", ["--lockstep"])))
    assert sim.status == 0 and qemu.status == 0, (sim, qemu)
    assert len(sim.out.splitlines()) == 4 * 8 and qemu.out == sim.out, f"run {again}"
    for node, lines in console(sim).items():
        assert lines == [f"round {n}" for n in range(4)], node
