"""The page of a run says what the letters of its formula stand for."""
import fractions
import json
import math
import re

import pytest

from mesh_tool import ROOT, mesh

TABLE = (ROOT / "host-tools/mesh/views/formula_legend.cpp").read_text()
NAMES = re.findall(r'^ +\{+"(.+?)", "', TABLE, re.M)
TOKEN = re.compile("|".join([*map(re.escape, NAMES), r"\d+", r"[-+*/^()]"]))
UHC, STAR = ("--topology", "uhc"), ("--topology", "star", "--dim", 4)
RUNS = [
    ("--dim", 4, "--op", "bcast", "--bytes", 3000, "--packet", 256),
    ("--dim", 4, "--op", "bcast", "--tree", "hp", "--ports", "half", "--bytes", 300),
    ("--dim", 4, "--op", "bcast", "--tree", "tcbt", "--ports", "half", "--bytes", 3000),
    ("--dim", 3, "--op", "bcast", "--tree", "msbt", "--copies", 2, "--bytes", 3000),
    (*UHC, "--dim", 4, "--op", "bcast", "--tree", "bt2", "--root", 3, "--bytes", 3000),
    (*UHC, "--dim", 5, "--op", "bcast", "--root", 1, "--bytes", 3000),
    (*UHC, "--dim", 5, "--op", "bcast", "--tree", "ist", "--root", 0, "--bytes", 3000),
    (*UHC, "--dim", 6, "--op", "bcast", "--tree", "adst", "--copies", 2, "--bytes", 3000),
    (*UHC, "--dim", 3, "--op", "scatter", "--root", 1, "--bytes", 64),
    (*UHC, "--dim", 3, "--op", "gather", "--bytes", 64),
    (*UHC, "--dim", 4, "--op", "barrier", "--ports", "half"),
    (*UHC, "--dim", 3, "--op", "sort", "--bytes", 2048, "--packet", 256),
    (*STAR, "--op", "bcast", "--bytes", 3000),
    (*STAR, "--op", "bcast", "--tree", "edt", "--bytes", 3000),
    (*STAR, "--op", "scatter", "--copies", 2, "--bytes", 64),
    ("--dim", 4, "--op", "send", "--root", 1, "--to", 12, "--bytes", 3000),
    ("--dim", 4, "--op", "scatter", "--bytes", 2000, "--packet", 256),
]


def made(tmp_path, words):
    """The run in a page."""
    page = tmp_path / "page.html"
    outcome = mesh("run", "--engine", "sim", *words, "--report", page)
    assert outcome.status == 0, outcome
    return json.loads(re.search(r'id="run">(.*?)</script>', page.read_text(), re.S)[1])


def value_of(formula, values):
    """What a formula comes to, with its letters' values; two factors side by side are a product."""
    code, before = "", ""
    for token in TOKEN.findall(formula):
        if re.fullmatch(r"[\w)]+", before) and before != "ceil" and re.fullmatch(r"[\w(]+", token):
            code += "*"
        number = token if token.isdigit() else values.get(token)
        code += token.replace("^", "**") if number is None else f"Fraction({number})"
        before = token
    return eval(code, {"ceil": math.ceil, "Fraction": fractions.Fraction})


@pytest.mark.parametrize("words", RUNS, ids=lambda words: " ".join(map(str, words)))
def test_a_formula_comes_to_its_steps_with_the_values_of_its_letters(tmp_path, words):
    run = made(tmp_path, words)
    letters = {name: value for name, _, value in run["letters"]}
    formula = run["results"]["formula"].removeprefix("bound ")
    assert letters.keys() - {"bound"} == set(TOKEN.findall(formula)) & set(NAMES)
    assert value_of(formula, letters) == run["results"]["formula_steps"] > 0


def test_every_letter_of_every_formula_has_words():
    ops = ROOT / "host-tools/mesh/ops"
    table = re.sub("(?m)^#include.*", "", (ops / "formulas.hpp").read_text())
    others = "".join("".join(re.findall(r"Formula\{[^;]*;", (ops / name).read_text()))
                     for name in ("personal_paths.cpp", "trees.cpp"))
    formulas = set(re.findall(r'"(.+?)"', table + others))
    assert len(formulas) > 50 and "P*x(N-1)/(n-1)" in formulas
    for formula in formulas:
        assert not re.search("[A-Za-z]", TOKEN.sub("", formula)), formula


def test_how_deep_a_large_tree_is_stands_on_the_page_too(tmp_path):
    run = made(tmp_path, (*UHC, "--dim", 11, "--op", "bcast", "--bytes", 16))
    height = {name: value for name, _, value in run["letters"]}["h"]
    assert run["results"]["steps"] == run["results"]["formula_steps"] == height  # of one packet


def test_what_no_run_of_a_page_knows_has_words_alone(tmp_path):
    run = made(tmp_path, (*UHC, "--dim", 4, "--op", "bcast", "--ports", "duplex", "--bytes", 3000))
    assert run["letters"][0] == ["T", "steps of one packet", None]
    star = made(tmp_path, (*STAR, "--op", "bcast", "--tree", "edt", "--bytes", 3000))
    assert ["n", "symbols of a permutation", 4] in star["letters"]
