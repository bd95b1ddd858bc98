#!/usr/bin/python3
"""Runs test suites one after another and adds up what they report.

A suite is NAME|SECONDS|COMMAND. Its counts are read from its own last words: those of GoogleTest,
of pytest, or a line `N passed, N failed`. Silence is a failure: a suite that reports nothing, runs
out of time or ends with a non-zero status without a failed case counts as one failed case more.
The last line of output is `N passed, N failed` over all suites.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

LAST_WORDS = {  # pattern: which count it gives; the last match of a pattern counts
    r"^\[  PASSED  \] (\d+) tests?": "passed",
    r"^\[  FAILED  \] (\d+) tests?, listed below": "failed",
    r"^(?:=+ )?(?:\d+ \w+, )*(\d+) passed\b": "passed",
    r"^(?:=+ )?(?:\d+ \w+, )*(\d+) failed\b": "failed",
    r"^(?:=+ )?(?:\d+ \w+, )*(\d+) errors?\b": "errors",
}


def counts_in(output):
    """What the suite says of itself, or None where it says nothing."""
    counts = {}
    for pattern, key in LAST_WORDS.items():
        found = re.findall(pattern, output, re.MULTILINE)
        if found:
            counts[key] = int(found[-1])
    if not counts:
        return None
    return counts.get("passed", 0), counts.get("failed", 0) + counts.get("errors", 0)


def run(command, seconds, log):
    """Runs `command`, shows and logs its output; (output, exit status or None on time-out)."""
    process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               start_new_session=True, text=True, errors="replace")
    expired = threading.Event()

    def stop():
        expired.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, stop)
    timer.start()
    lines = []
    with open(log, "w", encoding="utf-8") as file:
        for line in process.stdout:
            lines.append(line)
            file.write(line)
            sys.stdout.write(line)
            sys.stdout.flush()
    status = process.wait()
    timer.cancel()
    return "".join(lines), None if expired.is_set() else status


def judge(name, output, status, seconds):
    """(passed, failed, remark) of one suite."""
    counts = counts_in(output)
    if status is None:
        passed, failed = counts or (0, 0)
        return passed, failed + 1, f"stopped after its limit of {seconds} s"
    if counts is None or counts == (0, 0):
        return 0, 1, f"reported no test (exit status {status})"
    passed, failed = counts
    if status != 0 and failed == 0:
        return passed, 1, f"exit status {status}"
    return passed, failed, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", required=True, type=pathlib.Path)
    parser.add_argument("suites", nargs="+")
    arguments = parser.parse_args()
    arguments.logs.mkdir(parents=True, exist_ok=True)

    rows = []
    for suite in arguments.suites:
        name, seconds, command = suite.split("|", 2)
        print(f"--- {name}", flush=True)
        start = time.monotonic()
        output, status = run(command, int(seconds), arguments.logs / f"{name}.log")
        rows.append((name, *judge(name, output, status, int(seconds)), time.monotonic() - start))

    print("--- summary")
    for name, passed, failed, remark, duration in rows:
        print(f"{name:16} {passed:6} passed {failed:4} failed {duration:7.1f} s  {remark}".rstrip())
    passed, failed = (sum(row[i] for row in rows) for i in (1, 2))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
