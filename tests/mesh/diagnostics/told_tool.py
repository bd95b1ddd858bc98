"""Helpers of the tests of what a simulation tells of programs that cannot be meant."""
import subprocess

from mesh_tool import mesh

COMPILER = int(subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True,
                              check=True).stdout.split(".")[0])
HEAD = '#include "meshputer.hpp"\n#include <array>\n#include <cstring>\nusing namespace mesh;\n'


def line_of(source, mark):
    """A pattern of the number of the line with this mark. GCC 12 gives some calls in a coroutine
    the line of its end."""
    if COMPILER < 13:
        return r"\d+"
    return next(number for number, line in enumerate(source.splitlines(), 1)
                if line.endswith(f"// {mark}"))


def built(folder, name, source):
    (folder / f"{name}.cpp").write_text(source)
    outcome = mesh("build", "--engine", "sim", f"{name}.cpp", "-o", name, cwd=folder)
    assert outcome.status == 0, outcome
    return folder / name


def told(program, which, *options):
    outcome = mesh("run", "--engine", "sim", *options, "--app", program, "--", which)
    assert outcome.status == 1, outcome
    return outcome.err.splitlines()[-1]
