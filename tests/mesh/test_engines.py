"""What a program says and does is the same on both engines."""
from mesh_tool import console, probe


def test_floating_point_has_the_same_bits_on_both_engines():
    sim, qemu = (probe(engine, "arithmetic", options=["--dim", 3]) for engine in ("sim", "qemu"))
    assert sim.status == 0 and qemu.status == 0, (sim, qemu)
    assert len(set(map(str, console(sim).values()))) == 8, sim
    assert console(sim) == console(qemu)
