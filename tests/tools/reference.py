#!/usr/bin/env python3
"""A header or a page as Doxygen is to read it: `reference.py FILE` prints it.

The text at the top of a header becomes the description of the file, and a comment behind a member
or an enumerator its docstring. Comments in the bodies of functions stay as they are. Of links to
places in other pages Doxygen knows the page alone, and of those to folders nothing.
"""
import pathlib
import re
import sys

OPENS = re.compile(r"^( *)(?:template <.*> )?(?:class|struct|enum|union)\b[^;()]*\{(?: *//.*)?$")
BEHIND = re.compile(r"^(.*[;,}\w] +)// (?!NOLINT)")
GOES_ON = re.compile(r"^ +// (.*)$")


LINK = re.compile(r"(?<!!)\[([^]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def page(text, file):
    """The text of a page: its links lead to pages, or are none."""
    def link(found):
        target = file.parent / found[2]
        if target.is_dir() and (target / "README.md").is_file():
            return f"[{found[1]}]({found[2].rstrip('/')}/README.md)"
        return f"[{found[1]}]({found[2]})" if target.suffix == ".md" else found[1]
    return LINK.sub(link, text)


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


def main():
    file = pathlib.Path(sys.argv[1])
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        print(page(text, file), end="")
    else:
        print("\n".join(reference(text.splitlines(), sys.argv[1])))


if __name__ == "__main__":
    main()
