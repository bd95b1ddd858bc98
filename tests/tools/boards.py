"""The boards of a build: their names, the default one first, and what their board.json says."""
import json
import pathlib


def names(build):
    lines = (pathlib.Path(build) / "boards.txt").read_text().splitlines()
    return [line.split()[0] for line in lines]


def default(build):
    return names(build)[0]


def facts(build, board):
    return json.loads((pathlib.Path(build) / board / "board.json").read_text())


def ports(build, board):
    lines = facts(build, board)["lines"]
    return lines["ethernet"] if "ethernet" in lines else len(lines["serial"]) - 1


def machine(build, board):
    """The emulator's command line as far as the board makes it."""
    return ["qemu-system-arm", *facts(build, board)["machine"], "-display", "none", "-nodefaults"]
