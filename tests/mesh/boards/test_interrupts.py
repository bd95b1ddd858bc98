"""Interrupts of a program's own, in whole runs: a timer and a UART of two boards each. That none of
their wake-ups is lost is shown by tests/target/interrupts.cpp, wherever an interrupt comes."""
import re

import pytest

from mesh_tool import BUILD, console, mesh

TIMERS = ["mps2-an505", "mps2-an385"]
UARTS = {"mps2-an505": ("cmsdk", "0x50200000", "33"), "ast1030-evb": ("16550", "0x7e790700", "64")}


@pytest.mark.free
@pytest.mark.parametrize("board", TIMERS)
def test_a_timer_of_the_chip_wakes_the_process_that_waits_for_it(board):
    outcome = mesh("run", "--board", board, "--app", BUILD / board / "pulse.elf", "--dim", 1, "--",
                   "20", board)
    assert outcome.status == 0, outcome
    assert console(outcome) == {node: ["20 ticks, 20 beats"] for node in (0, 1)}, outcome


@pytest.mark.free
@pytest.mark.parametrize("board", UARTS)
def test_a_uart_of_the_chip_interrupts_once_for_each_byte(board):
    outcome = mesh("run", "--board", board, "--app", BUILD / board / "app_uart.elf", "--dim", 1,
                   "--", *UARTS[board])
    assert outcome.status == 0, outcome
    assert console(outcome) == {1: ["1000 bytes, 1000 interrupts, 0 wrong"]}, outcome


def test_a_ticker_needs_no_interrupt(engine):
    outcome = mesh("run", "--engine", engine, "--app", "pulse", "--dim", 1, "--", "20")
    assert outcome.status == 0, outcome
    assert console(outcome) == {node: ["20 ticks, 0 beats"] for node in (0, 1)}, outcome


@pytest.mark.parametrize("where", [["--engine", "sim"], ["--engine", "qemu", "--lockstep"]])
def test_where_model_time_rules_there_are_no_interrupts_and_a_sentence_says_so(where):
    outcome = mesh("run", *where, "--app", "pulse", "--dim", 1, "--", "20", TIMERS[0])
    assert outcome.status == 1, outcome
    assert re.search("it takes an interrupt of the chip in lockstep or in a simulation, where "
                     "model time alone says what comes next: run it on a board",
                     outcome.err), outcome
    assert "pulse.cpp:" in outcome.err, outcome


@pytest.mark.free
def test_an_interrupt_of_the_board_s_cables_is_refused_and_a_sentence_says_so():
    board = "ast1030-evb"
    outcome = mesh("run", "--board", board, "--app", BUILD / board / "app_uart.elf", "--dim", 1,
                   "--", "16550", UARTS[board][1], "47")
    assert outcome.status == 1, outcome
    assert "or that the board uses itself for its cables" in outcome.err, outcome
