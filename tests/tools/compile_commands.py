#!/usr/bin/python3
"""Reads a dry run of make from standard input, writes compile_commands.json to standard output."""
import json
import os
import re
import sys


def main():
    entries = []
    for line in sys.stdin.read().replace("\\\n", " ").splitlines():
        found = re.search(r" -c (\S+) -o (\S+)", line)
        if found:
            entries.append({"directory": os.getcwd(), "command": line.strip(),
                            "file": found.group(1), "output": found.group(2)})
    json.dump(entries, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
