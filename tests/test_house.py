"""The house's rules as cases: layout, lengths, words, clang-tidy for each folder, sizes."""
import os
import pathlib

import pytest

import boards
import size
import tidy

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = os.environ.get("BUILD", "build")
BOARD = boards.default(BUILD)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.toolchain
@pytest.mark.parametrize("rule", tidy.RULES, ids=lambda rule: rule.__name__)
def test_sources_keep_the_rules_of(rule):
    assert not list(rule(BUILD))


def texts_to_tidy():
    os.chdir(ROOT)
    return list(tidy.texts())


@pytest.mark.parametrize("text", texts_to_tidy())
def test_clang_tidy_finds_nothing_in(text):
    assert not tidy.clang_tidy_of(text, BUILD)


IMAGES = pathlib.Path(BUILD) / BOARD


@pytest.fixture
def table():
    return size.measure_images(IMAGES / "hello.map", IMAGES / "job.map")


@pytest.mark.toolchain
def test_sizes_keep_their_budgets(table):
    results = list(size.limits(table, IMAGES / "job.map", pathlib.Path(BUILD), BOARD))
    assert len(results) == 9 and not [text for good, text in results if not good]


@pytest.mark.toolchain
def test_sizes_are_those_that_were_saved(table):
    if not size.saved_file("size.csv").exists():
        pytest.skip(f"no table of {size.compiler()} is saved; the budgets hold all the same")
    drifted = list(size.drift(table, size.read_csv(size.saved_file("size.csv"))))
    if drifted:
        pytest.fail("\n".join([*drifted, "If that is meant: make size SAVE=1"]))
