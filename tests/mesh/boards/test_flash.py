"""Programs in the flash of nodes: kept whole whenever power fails, booted without a host, and no
older version by mistake."""
import pytest

from alone_mesh import AloneMesh
from flash_node import BOARD, REFUSED, STARTED, TREE, WITH_FLASH, FlashNode, image
from mesh_tool import BUILD, console, mesh, refused

IMAGE_BYTES = 4500  # five blocks, in two erase blocks
LOAD_BYTES = len(TREE) + IMAGE_BYTES
STEPS = 1 + 5 + 1
OLD, NEW, LAST = ord("1"), ord("2"), ord("3")


def test_a_node_whose_power_fails_at_any_block_of_an_update_boots_an_image(tmp_path):
    """The old one until it has heard the word to start, then the new one."""
    node = FlashNode(tmp_path / "flash")
    with node:
        assert node.update(OLD, image(OLD, IMAGE_BYTES)) == (STARTED, LOAD_BYTES)
    for steps in range(STEPS + 1):
        with node:
            node.update(NEW, image(NEW, IMAGE_BYTES), steps)
        with node:
            assert node.says() == (NEW if steps == STEPS else OLD), steps
    with node:  # the slot that was begun so often takes the next one
        assert node.update(LAST, image(LAST, IMAGE_BYTES + 1)) == (STARTED, LOAD_BYTES + 1)
    with node:
        assert node.says() == LAST
    with node:
        assert node.update(OLD, image(OLD, IMAGE_BYTES)) == (REFUSED, LAST)
    with node:
        assert node.update(OLD, image(OLD, IMAGE_BYTES), older=1) == (STARTED, LOAD_BYTES)
    with node:
        assert node.says() == OLD


def test_a_node_goes_back_to_its_image_if_the_host_goes_away(tmp_path):
    with FlashNode(tmp_path / "flash") as node:
        node.update(OLD, image(OLD, IMAGE_BYTES))
    with FlashNode(tmp_path / "flash") as node:
        node.update(NEW, image(NEW, IMAGE_BYTES), 3)  # the tree, and two blocks
        while node.answer():
            pass
        node.received = b""
        assert node.says() == OLD


@pytest.mark.free
@pytest.mark.parametrize("topology, dim, nodes", [("cube", 1, 2), ("star", 3, 6)])
def test_the_flash_of_emulated_nodes_outlasts_the_run_in_a_folder(topology, dim, nodes, tmp_path):
    outcome = mesh("load", "hello", "--board", BOARD, "--topology", topology, "--dim", dim,
                   "--timeout", 60, "--keep", 70, "--flash", tmp_path)
    assert outcome.status == 0, outcome
    for node in range(nodes):
        with FlashNode(tmp_path / f"{node}.flash") as there:
            assert there.update(OLD, image(OLD, IMAGE_BYTES)) == (REFUSED, 70)


class KeepingMesh(AloneMesh):
    """Nodes with flash, which boot their loaders; node 0 knows who it is."""
    NO_MORE = WITH_FLASH

    def machine(self, facts):
        return facts["flash"]["machine"]

    def given(self, node):
        flash = FlashNode(self.end_of(node, "flash")).flash
        return [*super().given(node), "-drive", f"if=mtd,format=raw,file={flash}"]

    def load(self, program, *more):
        """By the line of node 0, which nobody else may read meanwhile."""
        self.hang_up()
        return mesh("load", program, "--serial", self.told_device(0), "--board", BOARD, "--dim",
                    self.dim, "--timeout", 60, *more)


@pytest.mark.free
def test_a_mesh_is_loaded_once_and_needs_no_host_any_more():
    loader = BUILD / BOARD / "loader" / "loader.elf"
    with KeepingMesh(BOARD, 1, loader) as there:
        outcome = there.load(BUILD / BOARD / "loaded" / "alone_pi.elf", "--keep", 2)
        assert outcome.status == 0, outcome
        answer = console(outcome)[0]
        for node in range(2):
            there.power_off(node)
        for node in range(2):
            there.power_on(node)
        assert there.lines(1) == answer
        # Nodes whose program runs are loaded, too.
        outcome = there.load("hello", "--keep", 1, "--older")
        assert outcome.status == 0, outcome
        assert console(outcome)[0] == ["hello, neighbours are 1"]


@pytest.mark.parametrize("words, reason", [
    (["--keep", 0], "--keep 0: allowed: 1 to"),
    (["--keep", 1, "--boot", "fork"], "an emulator with flash is started for each node"),
    (["--older"], "--older requires --keep"),
    (["--keep", 1, "--flash", "/nowhere"], "--flash '/nowhere': no such folder"),
    (["--keep", 1, "--board", "mps2-an505"], "has no flash that its loader can write"),
    (["--keep", 1, "--serial", "/dev/null", "--flash", "/tmp"], "--flash goes with an emulated"),
])
def test_what_cannot_be_kept_is_refused(words, reason):
    board = [] if "--board" in words else ["--board", BOARD]
    refused(mesh("load", "hello", "--dim", 1, *board, *words), reason)
