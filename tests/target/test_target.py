"""Every suite that was made for a board, run under QEMU.

An image must print `start NAME`, `end NAME` and `N passed, N failed`, and leave QEMU with 0, within
its time limit.
"""
import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
BOARDS = sorted(file.parent.name for file in ROOT.glob("boards/*/board.mk"))
LIMIT_S = 300


def qemu_machine(board):
    text = (ROOT / "boards" / board / "board.mk").read_text()
    return re.search(r"^QEMU_MACHINE\s*:?=\s*(\S+)", text, re.M).group(1)


@pytest.mark.parametrize("suite", sorted(source.stem for source in HERE.glob("*.cpp")))
@pytest.mark.parametrize("board", BOARDS)
def test_every_claim_holds_on_the_target(board, suite):
    command = ["qemu-system-arm", "-M", qemu_machine(board), "-display", "none", "-nodefaults",
               "-semihosting-config", "enable=on,target=native", "-kernel",
               str(BUILD / board / f"test_{suite}.elf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S,
                          stdin=subprocess.DEVNULL, errors="replace")
    told = done.stdout + done.stderr
    assert f"start {suite}\n" in told and f"end {suite}\n" in told, told
    passed, failed = map(int, re.search(r"^(\d+) passed, (\d+) failed$", told, re.M).groups())
    assert passed > 0 and failed == 0 and done.returncode == 0, told
    print(f"{passed} claims hold")
