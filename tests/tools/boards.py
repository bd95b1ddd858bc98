"""The boards of a build: their names, the default one first, and what their board.json says."""
import functools
import json
import pathlib
import re
import subprocess


def names(build):
    lines = (pathlib.Path(build) / "boards.txt").read_text().splitlines()
    return [line.split()[0] for line in lines]


def with_few_images():
    """The boards of which `make` makes `hello` alone, unless BOARD= asks for more."""
    return made_with(r"hello \$\(if \$\(BOARD\)")


def with_no_images():
    """Those of which it makes nothing then."""
    return made_with(r"\$\(if \$\(BOARD\)")


def made_with(words):
    folder = pathlib.Path(__file__).resolve().parents[2] / "boards"
    return {makefile.parent.name for makefile in folder.glob("*/board.mk")
            if re.search(rf"^IMAGES := {words}", makefile.read_text(), re.M)}


def default(build):
    return names(build)[0]


@functools.cache
def qemu_version():
    told = subprocess.run(["qemu-system-arm", "--version"], capture_output=True, text=True,
                          check=True, timeout=60).stdout
    return tuple(map(int, re.search(r"version (\d+)\.(\d+)", told).groups()))


def facts(build, board):
    """As the emulator that is there numbers the lines."""
    told = json.loads((pathlib.Path(build) / board / "board.json").read_text())
    older = told["lines"].pop("older", None)
    if older and qemu_version() < tuple(map(int, older["than"].split("."))):
        told["lines"]["serial"] = older["serial"]
    return told


def ports(build, board):
    lines = facts(build, board)["lines"]
    return lines["ethernet"] if "ethernet" in lines else len(lines["serial"]) - 1


def machine(build, board):
    """The emulator's command line as far as the board makes it."""
    return ["qemu-system-arm", *facts(build, board)["machine"], "-display", "none", "-nodefaults"]
