#!/usr/bin/env python3
"""A header as Doxygen is to read it: `reference.py FILE` prints it.

What stands at the top of a file becomes the description of the file, and a comment behind a member
or an enumerator its docstring. Comments in the bodies of functions stay as they are.
"""
import re
import sys

OPENS = re.compile(r"^( *)(?:template <.*> )?(?:class|struct|enum|union)\b[^;()]*\{(?: *//.*)?$")
BEHIND = re.compile(r"^(.*[;,}\w] +)// (?!NOLINT)")
GOES_ON = re.compile(r"^ +// (.*)$")


def reference(lines, name):
    """The lines of the header."""
    head, scopes, column = True, [], None
    yield f"/// \\file {name}"
    for line in lines:
        if head and line.startswith("//"):
            yield "/" + line
            continue
        head = False
        while scopes and re.match(rf" {{{scopes[-1]}}}\}}", line):
            scopes.pop()
        opened = OPENS.match(line)
        members = bool(scopes) and len(line) - len(line.lstrip()) == scopes[-1] + 4
        behind = BEHIND.match(line) if members else None
        goes_on = column is not None and GOES_ON.match(line) and line.index("//") == column
        if goes_on:
            yield line.replace("//", "///<", 1)
        elif behind:
            column = len(behind[1])
            yield f"{behind[1]}///<{line[column + 2:]}"
        else:
            column = None
            yield line
        if opened:
            scopes.append(len(opened[1]))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(reference(file.read().splitlines(), sys.argv[1])))
