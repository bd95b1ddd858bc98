"""What one node gives up, on both engines: the others hear of it, and the same again ends right."""
import pytest

from mesh_tool import console, mesh, program


@pytest.mark.parametrize("how", [["sim"], ["sim", "--lockstep"], ["qemu", "--lockstep"]])
def test_what_one_node_gives_up_ends_at_all_and_ends_right_the_next_time(how):
    outcome = mesh("run", "--engine", *how, "--dim", 2, "--app", program("gives_up"))
    assert outcome.status == 0, outcome
    inside = "read false, write timed out, alt false"
    assert console(outcome) == {
        0: ["send in doubt, receive timed out, then ok ok", "barrier ok, then ok",
            "group unreachable, then ok of 3", inside],
        1: ["left false, then ok ok of 2", "barrier timed out, then ok",
            "group unreachable, then ok of 3", "count ok 1", inside],
        2: ["barrier ok, then ok", "group in doubt, then ok of 3",
            "fetch_add in doubt, then ok of 0", inside],
        3: ["barrier unreachable, then ok", inside]}, outcome
