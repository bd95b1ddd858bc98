#!/usr/bin/python3
"""House rules that no compiler checks: layout, lengths, words, terms, clang-tidy over all sources.

    tidy.py [--build FOLDER] [--no-clang-tidy]

Reports one test per rule; a broken rule lists every place.
"""
import argparse
import ast
import concurrent.futures
import csv
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from clocks import verdicts_by_time
from contracts import docstrings, links
from english import sentences, sources, subjects

COLUMNS_MAX = 100
FILE_LINES_MAX = 500
# A verdict thrown away: other code would wait for work that was not done. Written as below.
DISCARDED = re.compile(r"static_cast<void>\(\s*co_" r"await")
# Words for work that is not done yet, and places of one machine. Written so as not to match itself.
BANNED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"
                    r"|/(work|ho" r"me|ro" r"ot|tm" r"p)/[a-z]")
# The parts of the tree from the ground up, and the folders of each: none includes what is above it.
# "*" are all folders that are not named, side by side: the boards.
FLOORS = {
    "firmware": ("core/base", "core/cube", "core/star", "core/uhc", "core", "core/schedules",
                 "wire", "hal", "libc", "kernel/base", "kernel/processes", "kernel/links",
                 "kernel/packets", "kernel/node", "kernel/api", "c", "onecable", "collectives",
                 "library", "fiber", "mpi", "mpi/objects", "mpi/datatypes", "mpi/engine",
                 "mpi/buffers", "mpi/point_to_point", "mpi/collectives", "mpi/communicators",
                 "mpi/topologies", "mpi/windows", "mpi/environment", "", "ops", "apps", "labs"),
    "boards": ("host", "cortex-m", "serial", "c", "c/image", "onecable", "*", "loader",
               "loader/lan9118", "loader/serial"),
    "host-tools/mesh": ("common", "ranks", "cables", "capture", "programs", "rig", "engines",
                        "explain", "views", "ops", "plan", "run", "reports", "options",
                        "series", "course", "commands", ""),
}
# Words that are not to come back, what to say instead, and where they stay.
TERMS = pathlib.Path("tests/tools/words.csv")
# What Lua 5.2 does not have, and what of it later ones have no more.
OTHER_LUA = re.compile(r"//|<<|>>|[&|]|~(?!=)|<(?:const|close)>|\bbit32\b|\butf8\b|\btable\.move\b"
                       r"|\bstring\.(?:un)?pack|\bmath\.(?:type|tointeger|ult|pow|log10)\b|"
                       r"(?<!table\.)\bunpack\b|\bloadstring\b|\b[gs]etfenv\b")
INCLUDE = re.compile(r'^#include "([^"]+)"')


def layout(_):
    result = subprocess.run(["clang-format", "--dry-run", "-Werror",
                             *map(str, sources(".cpp", ".hpp"))], capture_output=True, text=True)
    files = sorted(set(re.findall(r"^(\S+):\d+:\d+: error: ", result.stderr, re.M)))
    return [f"{file}: make format lays it out" for file in files]


def lengths(_):
    for file in sources(".cpp", ".hpp", ".py", ".sh", ".ld", ".mk", "Makefile"):
        lines = file.read_text().splitlines()
        if len(lines) > FILE_LINES_MAX:
            yield f"{file}: {len(lines)} lines, at most {FILE_LINES_MAX}"
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                yield f"{file}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"


def words(_):
    for file in sources(".cpp", ".hpp", ".py", ".ld", ".mk", ".md", ".sh", "Makefile", ".ci/run"):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if BANNED.search(line) or line != line.rstrip():
                yield f"{file}:{number}: {line.strip()[:80]}"


def parted(text):
    """The words of a text, names too: `kRtoMinUs` and `rto_min_us` have the words rto and min."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "


def terms(_):
    """Words for which the field has others, in code and pages."""
    with TERMS.open(newline="") as listed:
        rows = list(csv.DictReader(listed))
    for file in sources(".cpp", ".hpp", ".py", ".ld", ".mk", ".md", ".sh", ".js", ".html", ".lua",
                        ".pml", ".v", "Makefile", "CHANGES"):
        unwanted = [row for row in rows
                    if not str(file).startswith(tuple(row["except in"].split()))]
        for number, line in enumerate(file.read_text().splitlines(), 1):
            text = parted(line)
            for row in unwanted:
                if f" {row['word']} " in text or f" {row['word']}s " in text:
                    yield f"{file}:{number}: {row['use']}, not {row['word']}"


def verdicts(_):
    """Firmware handles the status of each wait; a test may be after something else."""
    for file in sources(".cpp", ".hpp"):
        if file.parts[0] != "firmware":
            continue
        text = file.read_text()
        for found in DISCARDED.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            yield f"{file}:{number}: handle the Status instead of casting it away"


def floor_of(path):
    """The part of a file, its floor there (-1: none), its folder; None for other files."""
    for part, top in enumerate(FLOORS):
        if not path.is_relative_to(top):
            continue
        folder = path.parent.relative_to(top).as_posix().removeprefix(".")
        folder = "/".join(folder.split("/")[:2])
        names = FLOORS[top]
        folder = folder if folder in names or "*" in names else folder.split("/")[0]
        known = folder if folder in names else "*"
        return part, names.index(known) if known in names else -1, folder
    return None


def included(file, name):
    """The file of the project that the compiler takes, if it is one; what a board's own folder has
    for all boards (chip.hpp) is above nobody."""
    for folder in (file.parent, pathlib.Path(), pathlib.Path("firmware")):
        if (folder / name).is_file():
            return pathlib.Path(os.path.normpath(folder / name))
    return None


def floors(_):
    for file in sources(".cpp", ".hpp"):
        here = floor_of(file)
        if here and here[1] < 0:
            yield f"{file}: tests/tools/tidy.py has no floor for {here[2]}/"
        for number, line in enumerate(file.read_text().splitlines() if here else (), 1):
            found = INCLUDE.match(line)
            there = floor_of(included(file, found[1]) or pathlib.Path()) if found else None
            if there is None or there == here or there[:2] < here[:2]:
                continue
            where = "on a higher floor" if there[:2] > here[:2] else "beside it"
            yield f"{file}:{number}: includes {found[1]}, which lies {where}"


def clocks(_):
    """Cases that judge by the time that something takes."""
    return verdicts_by_time(sources(".py", ".cpp"))


def promises(_):
    """The proofs that tests/PROMISES.md names for its promises: cases, theorems, files, soak; and
    the cases that tests/MISTAKES.md names."""
    def text_of(*endings):
        return "".join(file.read_text() for file in sources(*endings) if file.parts[0] == "tests")
    claims = set(re.findall(r"^TEST(?:_F|_P)?\((\w+, \w+)\)", text_of(".cpp"), re.M))
    cases = set(re.findall(r"^def (test_\w+)", text_of(".py"), re.M))
    theorems = set(re.findall(r"^Theorem (\w+)", text_of(".v"), re.M))
    soak = pathlib.Path("tests/verify/soak/README.md").read_text()
    kinds = set(re.findall(r"^\| `(\w+)` \|", soak, re.M))
    listed = pathlib.Path("tests/PROMISES.md")
    for number, line in enumerate(listed.read_text().splitlines(), 1):
        for name in re.findall(r"`([^`]+)`", line):
            if not (pathlib.Path(name).is_file() or name.replace(".", ", ") in claims or
                    name in cases | theorems | kinds or "()" in name or
                    (pathlib.Path("boards") / name).is_dir() or name == "unreachable"):
                yield f"{listed}:{number}: there is no {name}"
    listed = pathlib.Path("tests/MISTAKES.md")
    for name in re.findall(r"`(test_\w+)`", listed.read_text()):
        if name not in cases:
            yield f"{listed}: there is no {name}"


def examples(_):
    """Each routing rule has a worked example beside it, each example one case that computes it."""
    def found(files, pattern):
        return [(file, name) for file in files
                for name in re.findall(pattern, file.read_text(), re.M)]
    core = [file for file in sources(".hpp") if file.is_relative_to("firmware/core")]
    tests = [file for file in sources("_test.cpp") if file.match("tests/core/worked_examples_*")]
    told = found(core, r"^ *//+ Example \(([^)\n]+)\):")
    computed = [name for _, name in found(tests, r"^// Example \(([^)\n]+)\)\nTEST\(")]
    names = [name for _, name in told]
    for file, name in told:
        if computed.count(name) != 1 or names.count(name) != 1:
            yield f"{file}: Example ({name}) has not exactly one case in tests/core"
    for name in sorted(set(computed) - set(names)):
        yield f"tests/core: Example ({name}) is nowhere in firmware/core"
    rules = [rule for _, rule in found(core, r' kName = "([^"]+)"')] + ["unicast", "disjoint"]
    for rule in sorted(set(rules) - {name.split(",")[0] for name in names}):
        yield f"firmware/core: the rule {rule} has no Example ({rule}, ...)"


def oldest(_):
    """Files that programs of others read are written for the oldest that README.md names. Python,
    JavaScript and bash are read by those that are here, too: on Debian 12 they are the oldest."""
    line = re.search(r"^- .*Wireshark 3\.6.*$", pathlib.Path("README.md").read_text(), re.M)[0]
    python = tuple(map(int, re.search(r"Python (\d+)\.(\d+)", line).groups()))
    cmake = re.search(r"CMake ([\d.]+)", line)[1]
    for file in sources(".py"):
        try:
            compile(ast.parse(file.read_text(), file, feature_version=python), file, "exec")
        except SyntaxError as error:
            yield f"{file}:{error.lineno}: no Python {'.'.join(map(str, python))}: {error.msg}"
    for file in sources("CMakeLists.txt", ".cmake"):
        for version in re.findall(r"cmake_minimum_required\(VERSION ([\d.]+)", file.read_text()):
            if version != cmake:
                yield f"{file}: asks for CMake {version}, README.md promises {cmake}"
    for file in sources(".lua"):
        for number, text in enumerate(file.read_text().splitlines(), 1):
            found = OTHER_LUA.search(re.sub(r'"(?:\\.|[^"\\])*"|--.*', "", text))
            if found:
                yield f"{file}:{number}: '{found[0]}' is not in every Lua from 5.2 on"
    checkers = {"node --check": (".js",), "bash -n": (".sh", ".bash", ".ci/run")}
    for checker, endings in checkers.items():
        for file in sources(*endings):
            done = subprocess.run([*checker.split(), file], capture_output=True, text=True)
            if done.returncode != 0:
                yield f"{file}: {done.stderr}"


@functools.lru_cache(maxsize=None)
def texts():
    """Name, flags and files of what is checked as one text: the host's sources of one folder.

    Most of the time goes into the library's headers, which a text has once. Sources that only a
    board compiles need their cross compiler's clang and are left to it.
    """
    commands = json.loads(pathlib.Path("compile_commands.json").read_text())
    grouped = {}
    for entry in commands:
        file = pathlib.Path(entry["file"])
        if "/host/obj/" in entry["output"] and file.parts[0] != "tests":
            flags = re.sub(r"^\S+|-Werror\b|-MMD|-MP|-o \S+|-c \S+", " ", entry["command"]).split()
            grouped.setdefault((file.parent, tuple(flags)), []).append(file)
    found = {}
    for (folder, flags), files in sorted(grouped.items()):
        name = str(files[0] if str(folder) in found else folder)
        found[name] = (flags, sorted(files))
    return found


def clang_tidy_of(name, build):
    """The findings of clang-tidy in one text; none if it found none in the same text before."""
    flags, files = texts()[name]
    folder = pathlib.Path(build) / "tidy"
    text = folder / (name.replace("/", "-") + ".cpp")
    folder.mkdir(parents=True, exist_ok=True)
    # Each program has an app_main().
    text.write_text("".join(
        f"#define app_main app_main_{file.stem}\n#include \"{file.absolute()}\"\n#undef app_main\n"
        for file in files))
    read = subprocess.run(["clang++", *flags, "-w", "-E", "-C", "-o", "-", text],
                          capture_output=True, check=True).stdout
    asked = pathlib.Path(".clang-tidy").read_bytes()
    stamp = folder / hashlib.sha256(read + asked).hexdigest()
    if stamp.exists():
        return []
    result = subprocess.run(["clang-tidy", "--quiet", "--config-file=.clang-tidy", text, "--",
                             *flags], capture_output=True, text=True)
    found = re.findall(r"^(\S+:\d+:\d+: (?:warning|error): .*)$", result.stdout, re.M)
    if result.returncode == 0 and not found:
        stamp.touch()
    return [line.replace(f"{pathlib.Path.cwd()}/", "") for line in found] or \
        ([] if result.returncode == 0 else [f"{name}: {result.stderr}"])


def clang_tidy(build):
    """Every source that is compiled for the host."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        check = functools.partial(clang_tidy_of, build=build)
        found = {line for lines in pool.map(check, texts()) for line in lines}
    return sorted(found) if texts() else ["no source to check"]


RULES = (layout, lengths, words, terms, verdicts, floors, clocks, promises, examples, oldest,
         docstrings, links, subjects, sentences)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--no-clang-tidy", action="store_true")
    arguments = parser.parse_args()
    rules = RULES + (() if arguments.no_clang_tidy else (clang_tidy,))
    failed = 0
    for rule in rules:
        places = list(rule(arguments.build))
        failed += bool(places)
        print(f"{'FAIL' if places else 'ok  '} {rule.__name__}")
        for place in places:
            print(f"     {place}")
    print(f"{len(rules) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
