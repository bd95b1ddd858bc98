"""The host tool is compiled by whichever compiler a user has, without a warning; only tests stop at
one."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = os.environ.get("BUILD", "build")
# From the oldest of each that compiles coroutines and ranges as these sources use them.
NAMES = ["g++", "clang++", *(f"g++-{version}" for version in range(12, 20)),
         *(f"clang++-{version}" for version in range(14, 26))]
LATER = "-std=c++23"
# By the first of its names.
COMPILERS = list({os.path.realpath(shutil.which(name)): name
                  for name in reversed(NAMES) if shutil.which(name)}.values())[::-1]


def plan(*arguments):
    """What make would do that knows nothing of the make that may have begun these tests."""
    around = ("MAKEFLAGS", "MFLAGS", "WERROR", "EXTRA_CXXFLAGS")
    environment = {name: text for name, text in os.environ.items() if name not in around}
    done = subprocess.run(["make", "--dry-run", "--no-print-directory", "V=1", *arguments],
                          cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.replace("\\\n", " ").splitlines()


def compilations(*arguments):
    lines = [line for line in plan(*arguments) if " -c " in line and "-std=c++20" in line]
    assert lines
    return lines


def test_only_tests_stop_at_a_warning(tmp_path):
    one = f"BUILD={tmp_path}", f"{tmp_path}/host/mesh"
    some = f"BUILD={tmp_path}", "test", "TEST=LinkAnswers"
    assert not any("-Werror" in line for line in compilations(*one))
    assert all("-Werror" in line for line in compilations(*one, "WERROR=-Werror"))
    assert all("-Werror" in line for line in compilations(*some))
    assert not any("-Werror" in line for line in compilations(*some, "WERROR="))


@pytest.mark.toolchain
def test_the_headers_of_a_program_are_few_lines():
    for compiler in ("g++", "arm-none-eabi-g++"):
        words = [compiler, "-std=c++20", "-E", "-P", "-x", "c++", "-Ifirmware", "-I.",
                 f"-I{BUILD}/host", "-"]
        done = subprocess.run(words, cwd=ROOT, input='#include "meshputer.hpp"\n', text=True,
                              capture_output=True, check=True)
        assert done.stdout.count("\n") < 30_000, compiler


def test_a_users_own_flags_are_the_last_of_the_host_tools(tmp_path):
    object_of_main = f"{tmp_path}/host/obj/host-tools/mesh/main.o"
    line, = compilations(f"BUILD={tmp_path}", "EXTRA_CXXFLAGS=-O0 -std=c++23", object_of_main)
    assert re.search(r"-std=c\+\+20 .* -O2 .* -O0 -std=c\+\+23 +-c ", line)


def complaints(command):
    """What the compiler says of our files; of a library's, which others compile, it may."""
    command = re.sub(r" -MMD -MP| -o \S+", "", command) + " -fsyntax-only"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines()
             if re.match(r"(?!/usr/)\S+: (warning|error|fatal error): ", line)]
    return lines or ([done.stderr] if done.returncode else [])


@pytest.mark.costly
@pytest.mark.toolchain
@pytest.mark.parametrize("extra", ["", LATER], ids=["c++20", "c++23"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_compiler_finds_nothing_to_warn_of_in_the_host_tool(compiler, extra):
    commands = compilations("--always-make", f"BUILD={BUILD}", f"CXX={compiler}",
                            f"EXTRA_CXXFLAGS={extra}", f"{BUILD}/host/mesh")
    commands = [line for line in commands if line.startswith(f"{compiler} ")]
    assert len(commands) > 50
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(complaints, commands) for line in lines]
    assert not found, "\n".join(sorted(set(found)))
