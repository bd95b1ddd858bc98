#!/usr/bin/env python3
"""The names that `#include "meshputer.hpp"` puts into namespace mesh: those of firmware/NAMES.md.

    python3 tests/tools/names.py            prints the page
    python3 tests/tools/names.py --write    writes it

A program with `using namespace mesh;` must not use one of them for something of its own.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "firmware" / "NAMES.md"
HEAD = """# Names

What `meshputer.hpp` puts into namespace `mesh`. After `using namespace mesh;` a program has these
names as well as its own: a type or variable of its own with such a name is ambiguous where it is
used, while a function with other parameters is one more beside ours. Whoever writes `mesh::` before
our names can have all of them. `python3 tests/tools/names.py --write` makes this page, and a test
says when it is not what the headers have; new names are told in [CHANGES](../CHANGES).
"""
COMPILE = ["clang++", "-std=c++20", "-Ifirmware", "-fsyntax-only", "-ferror-limit=0"]


def compiled(text, *flags):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "names.cpp"
        source.write_text('#include "meshputer.hpp"\n' + text)
        return subprocess.run([*COMPILE, *flags, source], capture_output=True, text=True, cwd=ROOT,
                              check=False)


def names():
    """All of them, sorted; parameters, which a listing also has, are no members."""
    listed = compiled("", "-Xclang", "-ast-list", "-Xclang", "-ast-dump-filter=mesh::").stdout
    found = sorted(set(re.findall(r"^mesh::(\w+)$", listed, re.M)))
    errors = compiled("".join(f"using mesh::{name};\n" for name in found)).stderr
    strange = set(re.findall(r"error: no member named '(\w+)' in namespace 'mesh'", errors))
    return [name for name in found if name not in strange]


def page():
    kinds = {"Types and concepts": r"[A-Z]", "Constants": r"k[A-Z]",
             "Functions and namespaces": r"(?!k[A-Z])[a-z]"}
    text, all_names = HEAD, names()
    for title, begin in kinds.items():
        words = " ".join(f"`{name}`" for name in all_names if re.match(begin, name))
        text += f"\n**{title}.** " + "\n".join(textwrap.wrap(words, 100)) + "\n"
    return text


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
