"""Every case of every GoogleTest program is a case here, in a process of its own.

The folders' programs are built with sanitizers; `exhaustive` has the files that include
tests/exhaustive.hpp once more, optimised and without them, for the sizes that would take minutes.
A program that is not built is one case, which fails; the words of -k find it by its claims' names.
"""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
LIMIT_S = 600


def programs():
    """{name: file} of all, built or not."""
    folders = sorted({source.parent.name for source in ROOT.glob("tests/*/*_test.cpp")})
    assert folders
    found = {folder: BUILD / "asan" / "tests" / folder for folder in folders}
    return found | {"exhaustive": BUILD / "host" / "tests" / "exhaustive"}


PROGRAMS = programs()


def claims_of(name):
    """The cases that the sources of a program claim, for a program that is not built."""
    texts = [source.read_text() for source in ROOT.glob("tests/*/*_test.cpp")
             if name in (source.parent.name, "exhaustive")]
    text = "".join(text for text in texts if name != "exhaustive" or "exhaustive.hpp" in text)
    claims = re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s+(\w+)\)", text, re.M)
    return [word for claim in claims for word in claim]


def cases():
    for name, program in PROGRAMS.items():
        if not program.exists():
            yield pytest.param(f"{name}.not_built", marks=pytest.mark.found_by(*claims_of(name)))
            continue
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
    if not PROGRAMS[name].exists():
        pytest.fail(f"not built: make {os.path.relpath(PROGRAMS[name], ROOT)}")
    done = subprocess.run([PROGRAMS[name], f"--gtest_filter={test}", "--gtest_brief=1"],
                          capture_output=True, text=True, errors="replace", timeout=LIMIT_S)
    told = done.stdout + done.stderr
    assert done.returncode == 0 and "[  PASSED  ] 1 test." in told, \
        f"{told}\nrepeat: {PROGRAMS[name]} --gtest_filter={test}"
