"""Every case of every GoogleTest program is a case here, in a process of its own.

The folders' programs are built with sanitizers; `exhaustive` has the files that include
tests/exhaustive.hpp once more, optimised and without them, for the sizes that would take minutes.
"""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
LIMIT_S = 600


def programs():
    """Name and file of each; one that was not built is a failure of the whole run."""
    folders = sorted({source.parent.name for source in ROOT.glob("tests/*/*_test.cpp")})
    assert folders
    found = {folder: BUILD / "asan" / "tests" / folder for folder in folders}
    return found | {"exhaustive": BUILD / "host" / "tests" / "exhaustive"}


PROGRAMS = programs()


def cases():
    for name, program in PROGRAMS.items():
        listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True,
                                timeout=LIMIT_S, check=True).stdout
        suite = ""
        for line in listed.splitlines():
            line = line.split("#")[0].rstrip()
            if line.endswith("."):
                suite = line
            elif line.startswith("  "):
                yield f"{name}.{suite}{line.strip()}"


@pytest.mark.parametrize("case", cases())
def test_claim(case):
    name, test = case.split(".", 1)
    done = subprocess.run([PROGRAMS[name], f"--gtest_filter={test}", "--gtest_brief=1"],
                          capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    told = done.stdout + done.stderr
    assert done.returncode == 0 and "[  PASSED  ] 1 test." in told, \
        f"{told}\nrepeat: {PROGRAMS[name]} --gtest_filter={test}"
