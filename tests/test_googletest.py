"""Every case of every GoogleTest program is a case here, in a process of its own.

A folder's claims are built twice: plain, where files that include tests/exhaustive.hpp run whole,
and with sanitizers, where they run small. A program that is not built is one case, which fails; the
words of -k find it by its claims' names.
"""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
LIMIT_S = 600


FOLDERS = sorted({source.parent.name for source in ROOT.glob("tests/*/*_test.cpp")})
assert FOLDERS


def claims_of(folder):
    """The cases that the sources of a program claim, for a program that is not built."""
    text = "".join(source.read_text() for source in ROOT.glob(f"tests/{folder}/*_test.cpp"))
    claims = re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s+(\w+)\)", text, re.M)
    return [word for claim in claims for word in claim]


def cases(kind):
    for folder in FOLDERS:
        program = BUILD / kind / "tests" / folder
        if not program.exists():
            found_by = pytest.mark.found_by(*claims_of(folder))
            yield pytest.param(f"{folder}.not_built", marks=found_by)
            continue
        listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True,
                                timeout=LIMIT_S, check=True).stdout
        suite = ""
        for line in listed.splitlines():
            line = line.split("#")[0].rstrip()
            if line.endswith("."):
                suite = line
            elif line.startswith("  "):
                yield f"{folder}.{suite}{line.strip()}"


def holds(kind, case):
    folder, test = case.split(".", 1)
    program = BUILD / kind / "tests" / folder
    if not program.exists():
        pytest.fail(f"not built: make {os.path.relpath(program, ROOT)}")
    done = subprocess.run([program, f"--gtest_filter={test}", "--gtest_brief=1"],
                          capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    told = done.stdout + done.stderr
    assert done.returncode == 0 and "[  PASSED  ] 1 test." in told, \
        f"{told}\nrepeat: {program} --gtest_filter={test}"


@pytest.mark.parametrize("case", cases("host"))
def test_claim(case):
    holds("host", case)


@pytest.mark.costly
@pytest.mark.parametrize("case", cases("asan"))
def test_claim_with_sanitizers(case):
    holds("asan", case)
