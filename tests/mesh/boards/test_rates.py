"""The bit rate of each line, by the registers that a board has set: no emulator keeps to a rate,
and on a cable nothing comes through at a wrong one."""
import re
import subprocess

import pytest

import boards
from mesh_tool import BUILD

BITS_PER_SECOND = 500_000 # of all lines
CMSDK_DIVISOR, PL011_DIVISOR, USART_DIVISOR = 0x10, 0x24, 0x8
# Of each line: the address of its divisor, and the rate of a value there by the chip's manual. Not
# ast1030-evb's, whose divisor can be read only while nothing else can be done with the line.
LINES = {
    "mps2-an385": [(uart + CMSDK_DIVISOR, 25_000_000) for uart in (
        0x4000_4000, 0x4000_5000, 0x4000_6000, 0x4000_7000, 0x4000_9000)],
    "mps3-an547": [(0x4930_3000 + 0x1000 * uart + CMSDK_DIVISOR, 25_000_000) for uart in range(6)],
    "lm3s6965evb": [(0x4000_C000 + 0x1000 * uart + PL011_DIVISOR, 50_000_000 / 16)
                    for uart in range(3)],
    "netduinoplus2": [
        *((0x4000_4400 + 0x400 * uart + USART_DIVISOR, 168_000_000 / 4) for uart in range(4)),
        *((usart + USART_DIVISOR, 168_000_000 / 2) for usart in (0x4001_1400, 0x4001_1000))]}


def word(machine, address):
    """What lies at an address of a machine that runs."""
    machine.stdin.write(f"x /1wx {address:#x}\n")
    machine.stdin.flush()
    for line in machine.stdout:
        found = re.match(rf"{address:08x}: 0x([0-9a-f]{{8}})", line.strip())
        if found:
            return int(found[1], 16)
    pytest.fail(f"the emulator has ended with {machine.wait(60)}")


def set_word(machine, address):
    """The same, once the program has set it. It runs meanwhile, so each register is waited for, not
    only the first of two."""
    for _ in range(100_000):
        value = word(machine, address)
        if value != 0:
            return value
    pytest.fail(f"nothing has been set at {address:#x}")


# `hello` is all that it takes, which there is of each board: no name of a board asks for more.
@pytest.mark.parametrize("board", LINES, ids=["cmsdk-5", "cmsdk-6", "pl011-3", "usart-6"])
def test_each_line_has_the_rate_that_all_lines_have(board):
    """Of an image that waits for what its neighbours tell it."""
    facts = boards.facts(BUILD, board)
    command = ["qemu-system-arm", *facts["machine"], "-display", "none", "-monitor", "stdio",
               "-serial", "null", "-kernel", BUILD / board / "relay" / "hello.elf"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT) as machine:
        try:
            rates = []
            for address, clock_hz in LINES[board]:
                divisor = set_word(machine, address)
                if board == "lm3s6965evb":
                    divisor += set_word(machine, address + 4) / 64
                rates.append(clock_hz / divisor)
        finally:
            machine.kill()
    assert len(rates) == len(facts["lines"]["serial"])
    assert rates == pytest.approx([BITS_PER_SECOND] * len(rates), rel=0.02)
