"""Every suite that was made for a board, run under QEMU.

An image must print `start NAME`, `end NAME` and `N passed, N failed`, and leave QEMU with 0, within
its time limit.
"""
import os
import pathlib
import re
import subprocess

import pytest

import boards

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
SUITES = {source.stem for source in HERE.glob("*.cpp")}
MADE = {(board, suite) for board in boards.names(BUILD) for suite in SUITES
        if (BUILD / board / f"test_{suite}.elf").exists()}
LIMIT_S = 300
# Instructions are the clock of these, so that nothing depends on the machine.
COUNTED = {"interrupts": ["-icount", "shift=5,sleep=off"]}


def test_the_default_board_has_all_suites():
    assert {(boards.default(BUILD), suite) for suite in SUITES} <= MADE


@pytest.mark.toolchain
@pytest.mark.parametrize("board,suite", sorted(MADE))
def test_every_claim_holds_on_the_target(board, suite):
    command = [*boards.machine(BUILD, board), *COUNTED.get(suite, []), "-semihosting-config",
               "enable=on,target=native", "-kernel", str(BUILD / board / f"test_{suite}.elf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S,
                          stdin=subprocess.DEVNULL, errors="replace")
    told = done.stdout + done.stderr
    assert f"start {suite}\n" in told and f"end {suite}\n" in told, told
    passed, failed = map(int, re.search(r"^(\d+) passed, (\d+) failed$", told, re.M).groups())
    assert passed > 0 and failed == 0 and done.returncode == 0, told
    print(f"{passed} claims hold")
