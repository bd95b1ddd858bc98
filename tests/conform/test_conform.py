"""`make conform` on every board at its quickest, and on one with a fault, which it must find."""
import os
import pathlib
import subprocess

import pytest

import boards

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
FAULTY_BOARD = "mps2-an385"
# Faults of the shared floor of a board, and the case that must find each.
FAULTS = {
    "wait_per_byte": "AWaitEndsForFramesAndNotForBytes",
    "interrupt_reenters": "AllPortsAtOnceLoseNothingAndAllHaveTheirTurn",
    "short_period": "ANodeThatWaitsForNothingCostsNothingAfterAShortAlarmToo",
}
LIMIT_S = 600


def conform(*words):
    done = subprocess.run([BUILD / "host" / "tests" / "conform", *words, "--quick"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S)
    return done.returncode, done.stdout


@pytest.mark.parametrize("board", boards.names(BUILD))
def test_a_board_does_what_its_hal_promises(board):
    status, told = conform(BUILD / board)
    assert status == 0 and "[  PASSED  ] 15 tests" in told, told


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_board_is_found_by_the_case_that_is_there_for_it(fault):
    image = BUILD / "faults" / fault / "conform.elf"
    case = f"Conform.{FAULTS[fault]}"
    status, told = conform(BUILD / FAULTY_BOARD, image, f"--gtest_filter={case}")
    assert status == 1 and f"[  FAILED  ] {case}" in told, told


def test_every_fault_has_its_case():
    assert {file.stem for file in (ROOT / "tests/conform/faults").glob("*.sed")} == set(FAULTS)


def test_an_image_that_says_nothing_fails():
    status, told = conform(BUILD / FAULTY_BOARD, BUILD / FAULTY_BOARD / "none.elf",
                           "--gtest_filter=*Alarm*")
    assert status == 1 and "does not say that it is ready" in told, told
