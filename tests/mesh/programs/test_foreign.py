"""Firmware that has no kernel of ours in it is refused with what to do."""
import subprocess

import pytest

from mesh_tool import IMAGES, MESH, mesh, refused

FOREIGN = """.syntax unified
.thumb
.section .vectors, "a"
.word 0x20001000, reset + 1
.text
reset: b reset
"""


@pytest.fixture
def foreign(tmp_path):
    """The image of somebody else: a loop at the reset vector."""
    (tmp_path / "foreign.s").write_text(FOREIGN)
    image = tmp_path / "foreign.elf"
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m33", "-mthumb", "-nostdlib", "-Wl,-Ttext=0",
                    "-Wl,--no-warn-rwx-segments", "-o", image, tmp_path / "foreign.s"], check=True)
    return image


@pytest.mark.toolchain
@pytest.mark.parametrize("words", [["run", "--app"], ["run", "--op", "bcast", "--image"],
                                   ["load"]], ids=lambda words: words[-1])
def test_an_image_of_another_is_refused_by_its_sections(words, foreign):
    outcome = mesh(*words, foreign, "--dim", 1)
    refused(outcome, "no kernel of ours")
    assert ".vectors" in outcome.err and "./FILE.cpp" in outcome.err, outcome


def test_a_program_of_this_machine_is_refused_alike():
    refused(mesh("run", "--dim", 1, "--app", "/bin/true"), "no kernel of ours")
    assert mesh("run", "--dim", 1, "--app", MESH).status == 2


@pytest.mark.toolchain
def test_an_image_that_was_linked_by_hand_runs(tmp_path):
    image = tmp_path / "hello.elf"
    subprocess.run(["arm-none-eabi-objcopy", "--remove-section", ".mesh.stamp",
                    IMAGES / "hello.elf", image], check=True)
    assert mesh("run", "--dim", 1, "--lockstep", "--app", image).status == 0
