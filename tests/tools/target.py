#!/usr/bin/python3
"""target.py BUILD: runs every suite that was made for a board under QEMU.

An image must print `start NAME`, `end NAME` and `N passed, N failed`, and leave QEMU with 0, within
its time limit; anything less counts as a failed case.
"""
import pathlib
import re
import subprocess
import sys

LIMIT_S = 60


def qemu_machine(board):
    text = pathlib.Path(f"boards/{board}/board.mk").read_text()
    return re.search(r"^QEMU_MACHINE\s*:?=\s*(\S+)", text, re.M).group(1)


def run(image, machine):
    """(passed, failed, output) of one image."""
    command = ["qemu-system-arm", "-M", machine, "-display", "none", "-nodefaults",
               "-semihosting-config", "enable=on,target=native", "-kernel", str(image)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL, errors="replace")
    except subprocess.TimeoutExpired as expired:
        return 0, 1, f"{expired.stderr or b''}\nno end within {LIMIT_S} s"
    output = done.stdout + done.stderr
    name = image.stem.removeprefix("test_")
    counts = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
    whole = f"start {name}\n" in output and f"end {name}\n" in output and counts
    if not whole:
        return 0, 1, f"{output}\nexit {done.returncode} without start, end and count"
    passed, failed = map(int, counts.groups())
    return passed, failed + (done.returncode != 0 and failed == 0), output


def main():
    build = pathlib.Path(sys.argv[1])
    total_passed = total_failed = 0
    for image in sorted(build.glob("*/test_*.elf")):
        passed, failed, output = run(image, qemu_machine(image.parent.name))
        print(f"{image}: {passed} claims hold, {failed} do not")
        if failed:
            print(output)
        total_passed += passed
        total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main())
