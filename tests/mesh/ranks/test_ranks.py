"""A run that several processes share does what a run of one process does."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess

import pytest

import mesh_tool
import two_hosts
from mesh_tool import MESH, alive, console, descendants, mesh, verified, wait_until
from ranks_tool import TIMEOUT_S, Launched, facts, make_launcher, run_alone, run_ranks

MPIRUN = shutil.which("mpirun")
AS_ROOT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
NONE = MESH.parent / "no-such.so"
# Each with lockstep; the first ones are tried every day.
CASES = [("--dim 3 --op bcast --tree msbt --bytes 5000", 2),
         ("--dim 2 --op send --messages 5 --faults restart:1@10,restart:2@12", 3),
         ("--dim 2 --app tests/mesh/mpi/hello.c", 2),
         ("--dim 3 --app tests/mesh/mpi/heat.c --faults drop:0.1", 3),
         ("--topology star --dim 3 --ranks 5 --app tests/mesh/mpi/nonblocking.c", 2),
         ("--dim 3 --op alltoall --bytes 300 --faults drop:0.1,corrupt:0.05", 3),
         ("--dim 3 --op allgather --bytes 100 --faults dup:0.1,reorder:0.1", 4),
         ("--dim 3 --op bcast --copies 2 --faults kill:3@20,cut:2/1@30,mend:2/1@60", 2),
         ("--dim 3 --op bcast --faults truncate:0.05,kill:5@20", 4),
         ("--dim 3 --op allreduce --bytes 256", 4),
         ("--dim 2 --op barrier --host-at 0", 2),
         ("--topology star --dim 3 --op bcast --tree edt --bytes 3000", 3),
         ("--topology uhc --dim 3 --op scatter --bytes 64 --faults restart:4@5", 2),
         ("--board ast1030-evb --dim 3 --op bcast --bytes 3000", 2),
         ("--board netduinoplus2 --dim 2 --op reduce --bytes 256", 4),
         ("--board mps2-an385 --dim 2 --op scan --bytes 256", 3)]
# Every network with every kind of fault, by as many ranks as four.
GRID_NETWORKS = ["--topology cube --dim 3", "--topology uhc --dim 3", "--topology star --dim 3"]
GRID_FAULTS = ["", "drop:0.1,corrupt:0.05", "cut:1/1@20", "kill:2@20", "restart:2@20",
               "cut:random@random x2", "cut:1/1@20,mend:1/1@60"]
ENDLESS = ["run", "--lockstep", "--dim", 2, "--op", "send", "--messages", 100000, "--bytes", 5000]


@pytest.fixture(scope="session")
def launcher(tmp_path_factory):
    return make_launcher(tmp_path_factory.mktemp("launcher"))


def of_capture(file):
    return re.sub(rb"mesh'? run .*?--capture (?:'.*?'|\S+)", b"", file.read_bytes())


def compare(launcher, folder, words, *numbers_of_ranks):
    """The same words by one process and by so many: status, report, capture and console."""
    files = [folder / "one", folder / "all"]
    one = run_alone("--capture", files[0], *words)
    for ranks in numbers_of_ranks:
        shared = run_ranks(launcher, ranks, "--capture", files[1], *words)
        assert one.status == shared.status, (one, shared)
        if "--lockstep" in words:
            assert facts(one.report) == facts(shared.report), (ranks, words)
            assert of_capture(files[0]) == of_capture(files[1]), (ranks, words)
            assert console(one) == console(shared), (ranks, words)


def test_ranks_in_lockstep_do_what_one_process_does(launcher, tmp_path, exhaustive):
    for case, ranks in CASES if exhaustive else CASES[:3]:
        words = ["--seed", 7, *([] if "--host-at" in case else ["--lockstep"]), *case.split()]
        compare(launcher, tmp_path, words, ranks)


@pytest.mark.parametrize("network", GRID_NETWORKS)
@pytest.mark.parametrize("faults", GRID_FAULTS)
def test_each_kind_of_fault_is_the_same_for_two_to_four_ranks(launcher, tmp_path, exhaustive,
                                                             network, faults):
    if not exhaustive:
        pytest.skip("make test-ranks")
    words = ["--seed", 7, "--lockstep", *network.split(), "--op", "bcast", "--bytes", 6000,
             *(["--faults", faults] if faults else [])]
    compare(launcher, tmp_path, words, 2, 3, 4)


@pytest.mark.free
def test_ranks_that_run_free_verify_all_nodes_and_print_once(launcher):
    outcome = run_ranks(launcher, 3, "--dim", 3, "--op", "bcast", "--bytes", 5000)
    assert verified(outcome)["nodes"] == 8
    assert outcome.out.count("verified") == 1, outcome
    hello = run_ranks(launcher, 2, "--dim", 2, "--app", "hello")
    assert hello.status == 0 and sorted(console(hello)) == [0, 1, 2, 3], hello


def test_who_waits_is_read_from_nodes_of_any_rank(launcher):
    words = ["--dim", 2, "--lockstep", "--app", mesh_tool.IMAGES / "app_polls.elf", "--",
             "unwanted"]
    one, shared = run_alone(*words), run_ranks(launcher, 2, *words)
    reasons = [outcome.err.splitlines()[-1].split("; repeat")[0] for outcome in (one, shared)]
    assert one.status == shared.status == 1, (one, shared)
    assert reasons[0] == reasons[1] and "waits for" in reasons[0], (one, shared)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_that_is_gone_ends_the_run_and_is_named(launcher, how, exhaustive):
    if how == signal.SIGSTOP and not exhaustive:
        pytest.skip("takes ten seconds: make test-ranks")
    launched = Launched(launcher, 2, ENDLESS)
    emulators = wait_until(lambda: (lambda all_of_them: all_of_them if [
        len(one) for one in all_of_them] == [3, 3] else None)(launched.emulators()), 60,
        "two emulators of each rank, and the one that forks them")
    launched.processes[1].send_signal(how)
    launched.processes[0].wait(timeout=TIMEOUT_S)
    if how == signal.SIGSTOP: # as a launcher does
        launched.processes[1].kill()
    outcome, _ = launched.end()
    words = "is gone" if how == signal.SIGKILL else "has said nothing for"
    assert outcome.status == 1, outcome
    assert f"rank 1 on host {os.uname().nodename} {words}" in outcome.err, outcome
    wait_until(lambda: not alive(set().union(*emulators)), 60, "no emulator is left")


def test_several_processes_without_mpi_are_refused_in_one_line(launcher):
    outcome, others = Launched(NONE, 2, ["run", "--dim", 2, "--op", "bcast"]).end()
    assert outcome.status == 2 and "openmpi-bin" in outcome.err, outcome
    assert len(outcome.err.splitlines()) == 1 and outcome.out == "", outcome
    assert others == [(2, "", "")], others


REFUSED = [(["run", "--engine", "sim", "--dim", 2, "--op", "bcast"], "MESH_RANKS=apart"),
           (["run", "--dim", 1, "--op", "bcast"], "as many ranks as nodes"),
           (["run", "--dim", 2, "--op", "bcast", "--seed", "1..4"], "--shard K/3"),
           (["run", "--dim", 2, "--op", "no-such"], "no-such")]


@pytest.mark.parametrize("words, why", REFUSED)
def test_what_ranks_cannot_share_is_refused_once(launcher, words, why):
    outcome, others = Launched(launcher, 3, words).end()
    assert outcome.status == 2 and why in outcome.err, outcome
    assert [err for _, _, err in others] == ["", ""], others


def test_ranks_of_two_launchers_or_programs_are_refused(launcher):
    outcome, _ = Launched(launcher, 2, ["run", "--dim", 2, "--op", "bcast"],
                          variables={"RANKS_SEEN": "1"}).end()
    assert outcome.status == 2 and "is not the MPI of this launcher" in outcome.err, outcome
    apps = [["run", "--dim", 2, "--app", app] for app in ("hello", "ring")]
    outcome, others = Launched(launcher, 2, apps[0], words_of_others=apps[1]).end()
    assert outcome.status == 2 and "rank 1 on host" in outcome.err, outcome
    assert "another program" in outcome.err and others == [(0, "", "")], (outcome, others)


def test_a_rank_that_cannot_have_its_nodes_says_why_by_rank_0(launcher):
    words = ["run", "--dim", 2, "--op", "bcast"]
    outcome, others = Launched(launcher, 2, words,
                               words_of_others=[*words, "--memory", 8]).end()
    assert outcome.status == 2 and "rank 1 on host" in outcome.err, outcome
    assert "MB are available" in outcome.err and others == [(0, "", "")], (outcome, others)


def test_each_process_of_a_launch_does_its_shard_by_itself(launcher):
    variables = {"MESH_RANKS": "apart"}
    words = ["run", "--engine", "sim", "--dim", 2, "--op", "bcast"]
    outcome, others = Launched(launcher, 2, words, variables=variables).end()
    assert outcome.status == 0 and others[0][0] == 0, (outcome, others)
    shards = [[*words, "--seed", "1..2", "--shard", f"{number}/2"] for number in (1, 2)]
    outcome, others = Launched(launcher, 2, shards[0], words_of_others=shards[1]).end()
    assert outcome.status == 0 and others[0][0] == 0, (outcome, others)
    assert "MESH_RANKS" in mesh("run", "--dim", 1, "--op", "barrier",
                                env={**os.environ, "MESH_RANKS": "no"}).err


@pytest.mark.toolchain
@pytest.mark.skipif(MPIRUN is None, reason="no mpirun")
@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("what, said", [("--op bcast", "verified"),
                                        ("--app tests/mesh/mpi/ring.c", "[0] token")])
def test_mpirun_starts_one_run(ranks, what, said, exhaustive):
    if not exhaustive:
        pytest.skip("make test-ranks")
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([MPIRUN, "-np", str(ranks), "--oversubscribe", MESH, "run", "--dim", "3",
                           *what.split()], capture_output=True, text=True, env=env,
                          timeout=TIMEOUT_S, cwd=mesh_tool.ROOT)
    assert done.returncode == 0 and done.stdout.count(said) == 1, done


@pytest.fixture
def hosts(tmp_path, exhaustive):
    """Begins `mesh run WORDS` on two hosts."""
    why = two_hosts.missing() if exhaustive else "make test-ranks"
    if why:
        pytest.skip(why)
    with two_hosts.two_hosts(tmp_path) as (*first, launcher):
        yield lambda *words: subprocess.Popen(
            [*first, f"{launcher} {shlex.join(map(str, [MESH, 'run', *words]))}"], env=AS_ROOT,
            cwd=mesh_tool.ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("faults", ["drop:0.1", "kill:2@20"])
def test_ranks_on_two_hosts_do_what_one_process_does(hosts, tmp_path, faults):
    words = ["--seed", 7, "--lockstep", "--dim", 3, "--op", "bcast", "--bytes", 5000,
             "--faults", faults]
    one, report = run_alone(*words), tmp_path / "report.json"
    run = hosts(*words, "--report", report)
    out, err = run.communicate(timeout=TIMEOUT_S)
    assert run.returncode == one.status, (out, err)
    assert facts(json.loads(report.read_text())) == facts(one.report)


def test_a_host_whose_rank_is_killed_is_named_and_nothing_is_left(hosts):
    run = hosts(*ENDLESS[1:])
    [rank] = wait_until(lambda: {pid for pid in two_hosts.processes(two_hosts.HOSTS[1], "mesh")
                                 if len(descendants(pid)) == 3}, 60,
                        "two emulators of rank 1, and the one that forks them")
    everything = descendants(run.pid)
    os.kill(rank, signal.SIGKILL)
    out, err = run.communicate(timeout=TIMEOUT_S)
    assert run.returncode != 0 and two_hosts.HOSTS[1] in err, (out, err)
    wait_until(lambda: not alive(everything), 60, "no emulator is left")
