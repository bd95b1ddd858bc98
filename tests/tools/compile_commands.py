#!/usr/bin/python3
"""Reads a dry run of make from standard input, writes compile_commands.json to standard output.

One command a source: as for the host if it is compiled for it, else with sanitizers, else for a
board. clang reads them all: the cross compiler's target and folders are spelled out for it.
"""
import functools
import json
import os
import re
import subprocess
import sys

CROSS = "arm-none-eabi"
GCC_ONLY = re.compile(r" -(?:Wno-psabi|fno-use-cxa-atexit|fstack-usage|fno-gnu-unique|"
                      r"include \S+/standard\.hpp)\b") # that one has a form that only GCC reads


@functools.lru_cache(maxsize=None)
def system_folders(compiler, flags):
    """Where the cross compiler finds its headers, which hangs on the processor."""
    told = subprocess.run([compiler, *flags.split(), "-E", "-v", "-x", "c++", os.devnull],
                          capture_output=True, text=True, check=True).stderr
    listed = re.search(r"#include <\.\.\.> search starts here:\n(.*?)\nEnd of search", told, re.S)
    return "".join(f" -isystem {os.path.normpath(line.strip())}"
                   for line in listed[1].splitlines())


def for_clang(command):
    """The command as clang understands it."""
    if not command.startswith(CROSS):
        return GCC_ONLY.sub("", command)
    compiler, rest = command.split(" ", 1)
    cpu = " ".join(re.findall(r"(?<!\S)-m\S+", rest))
    return (f"clang++ --target={CROSS} -nostdinc{system_folders(compiler, cpu)} "
            f"{GCC_ONLY.sub('', ' ' + rest).strip()}")


def rank(entry):
    """Commands for the host before those with sanitizers before those for a board."""
    kinds = ("/host/", "/asan/")
    return next((i for i, kind in enumerate(kinds) if kind in entry["output"]), len(kinds))


def main():
    entries = {}
    for line in sys.stdin.read().replace("\\\n", " ").splitlines():
        found = re.search(r" -c (\S+) -o (\S+)", line)
        if found and "$" not in found.group(1):  # else a loop of the shell
            entry = {"directory": os.getcwd(), "command": for_clang(line.strip()),
                     "file": found.group(1), "output": found.group(2)}
            entries[entry["file"]] = min(entries.get(entry["file"], entry), entry, key=rank)
    json.dump(list(entries.values()), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
