"""What of the playground (host-tools/playground) needs no emscripten. `make test-playground` has
the rest."""
import json
import os
import re
import subprocess
import sys

import pytest

from mesh_tool import ROOT, mesh

PLAYGROUND = ROOT / "host-tools/playground"
sys.path.insert(0, str(PLAYGROUND))
import poster  # noqa: E402  pylint: disable=wrong-import-position
import rules  # noqa: E402  pylint: disable=wrong-import-position


def trees():
    """{name: network}, as `mesh list` says them; lines that begin with a blank go on."""
    lines = mesh("list", "trees").out.splitlines()
    return {line.split()[0]: line.split()[1].rstrip(":") for line in lines if line[0] != " "}


def in_page(expression, **names):
    """A value of the page's settings.js."""
    given = "".join(f"const {name} = {json.dumps(value)};" for name, value in names.items())
    done = subprocess.run(
        ["node", "-e", f"const page = require('./settings.js');{given}"
                       f"console.log(JSON.stringify({expression}))"],
        capture_output=True, text=True, check=True, cwd=PLAYGROUND / "page")
    return json.loads(done.stdout)


def parts_are_in_the_sources(parts):
    for part in parts:
        lines = (part["comment"] + "\n" + part["code"]).strip().splitlines()
        begin = part["line"] - 1
        source = (ROOT / part["file"]).read_text().splitlines()[begin:begin + len(lines)]
        assert [line.strip() for line in source] == [line.strip() for line in lines], part


def test_every_tree_has_its_lines_of_the_sources():
    assert set(rules.FUNCTIONS) == set(trees())
    for tree in rules.FUNCTIONS:
        parts_are_in_the_sources(rules.rule_of(tree))


def test_every_op_of_the_playground_has_its_lines_of_the_sources():
    ops = [line.split()[0] for line in mesh("list", "ops").out.splitlines() if line[0] != " "]
    without_tree = rules.all_ops()
    assert sorted([*in_page("page.WITH_TREE"), *without_tree]) == sorted(ops)
    offered = in_page("ops.map(op => [op, Object.keys(page.DIMS).filter(topology => page.fitted("
                      "{ ...page.DEFAULTS, op, topology }, trees).op === op)])",
                      ops=[*without_tree], trees=trees())
    assert dict(offered) == {op: [*networks] for op, networks in without_tree.items()}
    for networks in without_tree.values():
        for parts in networks.values():
            parts_are_in_the_sources(parts)


def test_a_member_is_found_in_its_class_alone():
    text = "struct A {\n    int f() {\n        return 1;\n    }\n};\n" \
           "struct B {\n    // Two.\n    int f() {\n        return f(2);\n    }\n};\n"
    line, comment, code = rules.definition(text, "B::f")
    assert (line, comment, code[0], len(code)) == (7, ["    // Two."], "    int f() {", 3)
    with pytest.raises(SystemExit, match="f: defined 0 times"):
        rules.definition(text, "f")


def test_a_function_that_is_gone_ends_the_build(tmp_path):
    (tmp_path / "cube").mkdir()
    text = (ROOT / "firmware/core/cube/simple_trees.hpp").read_text()
    (tmp_path / "cube/simple_trees.hpp").write_text(text.replace("sbt_children", "sbt_kids"))
    with pytest.raises(SystemExit, match="sbt_children: defined 0 times"):
        rules.rule_of("sbt", tmp_path)


@pytest.mark.toolchain
def test_the_address_of_the_playground_keeps_what_is_set():
    wanted = {"topology": "star", "dim": 4, "op": "scatter", "tree": "edt", "ports": "half",
              "root": 3, "packets": 5, "loss": 10, "seed": 7, "kill": [2, 9], "cut": ["0/1", "5/2"]}
    assert in_page("page.settingsOf(page.addressOf(wanted))", wanted=wanted) == wanted
    assert in_page("page.addressOf(page.DEFAULTS)") == ""
    odd = "topology=ring&dim=x&kill=1,;rm&seed=-1&cut=a/b"
    kept = in_page("page.settingsOf(odd)", odd=odd)
    assert kept == {**in_page("page.DEFAULTS"), "kill": [1], "cut": []}


def test_the_address_keeps_the_moment_and_the_run_that_stands_beside_another_one():
    beside = {**in_page("page.DEFAULTS"), "tree": "msbt", "kill": [2], "cut": ["0/1"]}
    at = {"time": "2.5", "node": "5", "subtree": "1", "packet": "3", "layout": "levels"}
    for whole in ({"settings": in_page("page.DEFAULTS"), "beside": beside, "asking": False,
                   "moment": {}},
                  {"settings": beside, "beside": in_page("page.DEFAULTS"), "asking": True,
                   "moment": at},
                  {"settings": beside, "beside": None, "asking": False, "moment": at}):
        assert in_page("page.wholeOf(page.wholeAddress(whole))", whole=whole) == whole
    assert in_page("page.wholeOf('')") == {"settings": beside | in_page("page.DEFAULTS"),
                                           "beside": None, "asking": False, "moment": {}}
    assert in_page("page.momentOf(odd)", odd="time=1&node=\"&layout=<&x=2") == {"time": "1"}


@pytest.mark.toolchain
@pytest.mark.parametrize("changes", [
    {"topology": "star", "op": "sort", "dim": 8, "tree": "sbt"}, {"topology": "uhc", "root": 200},
    {"dim": 3, "kill": [0, 20, 3], "cut": ["0/1", "99/0"]}, {"op": "barrier", "loss": 20}])
def test_whatever_is_set_makes_a_command_line_that_the_tool_takes(changes):
    words = in_page("page.wordsOf(page.fitted({ ...page.DEFAULTS, ...changes }, trees))",
                    changes=changes, trees=trees())
    outcome = mesh(*words[1:], "--dry-run")
    assert outcome.status == 0, f"{words}: {outcome.err}"


# apt-get says what it would do with 1, as it is told to answer no; what else it is asked is kept.
APT = """case "$*" in *--assume-no*) exit 1 ;; *) echo "$*" >>"$ASKED" ;; esac"""


def packages_asked(folder, *words, candidate="", compiler=None):
    """How packages for the playground are asked for where apt has such an emscripten, and nothing
    is installed but, perhaps, such a compiler: the process, and what apt-get was told to do."""
    scripts = {"apt-get": APT, "apt-cache": f"echo '  Candidate: {candidate}'", "sudo": '"$@"',
               "dpkg-query": "exit 1"}
    if compiler:
        scripts["em++-faked"] = f"echo '{compiler}'"
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    asked = folder / "asked"
    asked.touch()
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env={
        **os.environ, "PATH": f"{folder}:/usr/bin:/bin", "ASKED": str(asked)})
    return done, asked.read_text()


OLD = "emcc (Emscripten gcc/clang-like replacement + linker) 3.1.6 (Debian 3.1.6~dfsg-5)"


@pytest.mark.parametrize("there, words", [
    ({"candidate": "3.1.6~dfsg-5"}, "needed is emscripten 3.1.69 or later, apt has 3.1.6~dfsg"),
    ({"compiler": OLD}, "em++-faked is 3.1.6, needed is 3.1.69 or later")])
@pytest.mark.parametrize("target", ["playground", "book", "test-playground"])
def test_where_the_compiler_is_too_old_the_playground_says_so_and_installs_nothing(
        tmp_path, target, there, words):
    done, asked = packages_asked(tmp_path, "make", target, "EMXX=em++-faked", **there)
    assert done.returncode == 2 and words in done.stderr and asked == "", done
    assert [line[:4] for line in done.stderr.splitlines()][1:] == ["make"], done


@pytest.mark.parametrize("there, installs", [
    ({"candidate": "3.1.69+dfsg-3"}, "emscripten"),
    ({"compiler": OLD.replace("3.1.6 ", "4.0.1 ")}, "")])
def test_where_the_compiler_is_new_enough_what_is_missing_is_installed(tmp_path, there, installs):
    script = PLAYGROUND / "emscripten.sh"
    _, asked = packages_asked(tmp_path, script, "em++-faked", "3.1.69", "zlib1g-dev", **there)
    packages = asked.split("--no-install-recommends ")[1].split()
    assert packages == [*installs.split(), "zlib1g-dev"]


def test_the_broadcasts_of_the_poster_are_drawn_on_one_clock():
    steps, figures = poster.run_figures()
    *broadcasts, sort = figures.split("<figure>")[1:]
    begins, ends, arrivals = [], [], []
    for figure in broadcasts:
        begins.append(float(re.search(r'<line x1="([^"]*)"', figure)[1]))
        ends.append(max(map(float, re.findall(r' x2="([^"]*)"', figure))))
        arrivals.append(max(map(float, re.findall(r"L([\d.]+) ", figure))))
    assert arrivals == ends and begins[0] == begins[1]
    clock = [(end - begin) / of for begin, end, of in zip(begins, ends, steps)]
    assert clock[0] == pytest.approx(clock[1], rel=1e-3) and steps[0] > 2 * steps[1]
    assert "0 (0000)" in broadcasts[0] and "(000000)" not in sort
