"""The seeds by which cases draw: sets of faults, messages, words of programs.

The gate has those of GATE alone, so a commit has one verdict. A seed that ever failed is appended
there and stays. `make test-all` draws by the commit's hash as well, which it puts into VARIABLE.
"""
import os
import random

GATE = ("1",)
VARIABLE = "MESH_SEED"


def of_commit():
    return os.environ.get(VARIABLE, "")


def of_this_run():
    return [*GATE, *filter(None, [of_commit()])]


def draw_of(seed, *what):
    """Draws that are the same for one seed, and others for each case."""
    return random.Random(" ".join(map(str, (seed, *what))))
