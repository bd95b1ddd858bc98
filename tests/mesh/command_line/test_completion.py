"""What shells offer for the last word of a command line, and the examples of the manual."""
import pathlib
import re
import shlex
import subprocess

import pytest

from mesh_tool import MESH, ROOT, mesh

SCRIPTS = ROOT / "host-tools" / "install"
RUN = ["run", "--engine", "sim", "--dim", 3]
# Words, of which the last is begun, and what may come there. [None]: a file.
OFFERED = [
    (["r"], ["run"]), (["help", "ma"], ["matrix"]), (["run", "--rep"], ["--report", "--repeat"]),
    (["run", "--op", "all"], ["allreduce", "allgather", "alltoall"]),
    (["run", "--topology", "s"], ["star"]), (["tree", "--tree", "ms"], ["msbt", "msbt-rot"]),
    (["tree", "--topology", "star", "--rule", ""], ["spt", "edt", "edt-v2"]),
    (["run", "--app", "ping"], ["pingpong"]), (["view", "x.pcapng", "--format", "h"], ["html"]),
    (["view", ""], [None]), (["view", "--format", "text", "--beside", ""], [None]),
    (["run", "--capture", ""], [None]), (["lab", "start", "06"], ["06-grid"]),
    (["lab", "l"], ["list"]),
    (["list", "to"], ["topologies"]), (["run", "--quiet", "--lock"], ["--lockstep"]),
    (["run", "--type", "l"], [None]), (["run", "--op", "sort", "--type", "l"], ["lines"]),
    (["nothing", "x"], [None]), (["run", "--topology", "none", "--tree", ""], [None])]


def called(words):
    return "-".join(str(word) for word in words if not isinstance(word, pathlib.Path))


def sorted_names(names):
    return sorted(map(str, names))


def by_tool(words):
    return mesh("complete", "--", *words).out.split() or [None]


def by_bash(words):
    script = ('source "$0/completion.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mesh; '
              'echo "${COMPREPLY[@]}"')
    return shell(["bash", "-c", script, SCRIPTS, MESH, *words]).split() or [None]


def by_zsh(words):
    script = ('compadd() { print -l -- "${(@P)2}" }; _files() { }; words=("$@"); CURRENT=$#; '
              'source "$0/completion.zsh"')
    return shell(["zsh", "-f", "-c", script, SCRIPTS, MESH, *words]).split() or [None]


def by_fish(words):
    """Where only a file may stand, fish looks into the folder, which is one without any."""
    line = shlex.join(map(str, [MESH, *words[:-1]])) + " " + words[-1]
    script = f"source '{SCRIPTS}/completion.fish'; complete -C {shlex.quote(line)}"
    lines = shell(["fish", "--no-config", "-c", script], cwd="/proc/self/task").splitlines()
    return [line.split("\t")[0] for line in lines if not line.endswith("/")] or [None]


def shell(words, cwd=None):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300,
                          cwd=cwd, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


@pytest.mark.parametrize("words, offered", OFFERED, ids=called)
def test_the_tool_says_what_may_come(words, offered):
    assert sorted_names(by_tool(words)) == sorted_names(offered)


@pytest.mark.toolchain
@pytest.mark.parametrize("shell_of", [by_bash, by_zsh, by_fish])
@pytest.mark.parametrize("words, offered", OFFERED[2:10], ids=called)
def test_a_shell_offers_what_the_tool_says(shell_of, words, offered):
    assert sorted_names(shell_of(words)) == sorted_names(offered)


@pytest.mark.parametrize("begin", [
    ["run", "--op"], [*RUN, "--op", "bcast", "--tree"], [*RUN, "--op", "reduce", "--type"],
    [*RUN, "--op", "reduce", "--operator"], [*RUN, "--op", "send", "--route"],
    [*RUN, "--op", "bcast", "--ports"], ["run", "--dim", 3, "--op", "bcast", "--engine"],
    [*RUN, "--op", "sort", "--input", ROOT / "LICENSE", "--type"], ["tree", "--dim", 3, "--format"],
    ["tree", "--dim", 3, "--layout"], ["view", "x", "--format"], ["embed", "--guest"],
    ["run", "--dim", 3, "--op", "bcast", "--boot"], ["build", "x", "--show"], ["list"],
    ["lab", "start", "2", "x", "--language"]], ids=called)
def test_what_is_offered_is_what_is_allowed(begin, tmp_path):
    refused = mesh(*begin, "xyz", cwd=tmp_path)
    allowed = re.search("allowed: (.*?)(, or .*)?$", refused.err, re.M)[1].split(", ")
    assert refused.status == 2 and set(by_tool([*begin, ""])) == set(allowed), refused


@pytest.mark.free(gate=True)
def test_the_examples_of_the_manual_do_what_they_say(tmp_path):
    (tmp_path / "runs.toml").write_text('[a]\nop = "bcast"\ndim = 2\nengine = "sim"\n')
    lines = (SCRIPTS / "examples.txt").read_text().splitlines()
    assert len(lines) > 20
    for line in lines:
        done = mesh(*shlex.split(line)[1:], cwd=tmp_path)
        unsolved = line.startswith("mesh grade")
        assert done.status == (1 if unsolved else 0) and (done.out or "--format html" in line), done
