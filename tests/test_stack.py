"""The check of the interrupt stack: its reading of code, and its findings about images."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
import stack  # noqa: E402


@pytest.mark.parametrize("operation, operands, moved", [
    ("push", "{r4, r5, r6, r7, lr}", 20), ("stmdb", "sp!, {r4-r11, lr}", 36),
    ("vpush", "{d8-d9}", 16), ("vstmdb", "sp!, {s16-s19}", 16), ("str.w", "lr, [sp, #-4]!", 4),
    ("sub", "sp, #120", 120), ("sub.w", "sp, sp, #472", 472), ("subw", "sp, sp, #1028", 1028),
    ("sub.w", "sp, sp, r3", None), ("add", "sp, #120", 0), ("subs", "r4, #1", 0),
    ("str", "r0, [sp, #4]", 0)])
def test_what_instructions_do_to_the_stack(operation, operands, moved):
    assert stack.pushed(operation, operands) == moved


class Made(stack.Image):
    """An image of these functions: {name: (frame, callees)}."""

    def __init__(self, by_pointer=(), **functions):
        self.frames = {name: frame for name, (frame, _) in functions.items()}
        self.calls = {name: set(callees) for name, (_, callees) in functions.items()}
        self.by_pointer, self.known = set(by_pointer), {}


def test_the_deepest_chain_is_found_and_named():
    image = Made(top=(8, ["a", "b"]), a=(100, []), b=(40, ["c"]), c=(70, []))
    assert image.deepest("top") == (118, ("top", "b", "c"))


def test_a_circle_and_an_unknown_pointer_fail():
    with pytest.raises(LookupError, match="a > b > a: a circle"):
        Made(a=(8, ["b"]), b=(8, ["a"])).deepest("a")
    with pytest.raises(LookupError, match="a calls somebody by a pointer"):
        Made(by_pointer=["a"], a=(8, [])).deepest("a")
