"""Links and nodes that come back: a mended cable carries again, a restarted node forwards again."""
import pytest

from mesh_tool import IMAGES, mesh, refused, run, without_host_time

SIM, LOCKSTEP = "sim", "qemu --lockstep"
FREE = pytest.param("qemu --free", marks=pytest.mark.free)
TALK = ["--op", "send", "--target", "random", "--messages", 100, "--bytes", 64, "--lockstep"]
CHAT = ["--dim", 3, *TALK]


def chat(engine, faults, *more):
    return run(engine, *CHAT, "--faults", faults, *more).report


@pytest.mark.parametrize("faults,back", [("cut:0/0@100", "mend:0/0@200"),
                                         ("cut:0>0@100", "mend:0/0@200"),
                                         ("cutdim:0@100", "mend:0/0@200"),
                                         ("cut:1/0@100", "mend:1/0@random")])
def test_a_mended_cable_carries_again(engine, faults, back):
    early = ["--seed", 3] if "random" in back else [] # draws a moment at which much is to come
    before = chat(engine, faults, *early)
    after = chat(engine, f"{faults},{back}", *early)
    assert after["faults"]["mend"] and not before["faults"]["mend"]
    assert after["link_packets"][0][0] > before["link_packets"][0][0], (before, after)
    assert after["link_packets"][1][0] > before["link_packets"][1][0], (before, after)
    assert after["unreachable_nodes"] == []


def test_a_cable_may_be_cut_and_mended_any_number_of_times(engine):
    plan = [f"{what}:0/1@{at}" for at in range(20, 260, 40)
            for what, at in (("cut", at), ("mend", at + 20))]
    again = chat(engine, ",".join(plan))
    assert again["faults"]["mend"] == ["0/1"] * 6 == again["faults"]["cut"]
    assert again["unreachable_nodes"] == [] and again["failed_nodes"] == []


@pytest.mark.parametrize("topology,dim", [("uhc", 3), ("star", 4)])
def test_a_mended_cable_carries_again_in_every_network(topology, dim):
    def packets(faults):
        report = run("sim", "--topology", topology, "--dim", dim, *TALK, "--faults", faults).report
        return report["link_packets"][0][0]

    assert packets("cut:0/0@300,mend:0/0@350") > packets("cut:0/0@300")


def test_a_restarted_node_forwards_again_and_is_neither_verified_nor_failed(engine):
    outcome = run(engine, *CHAT, "--faults", "restart:5@100")
    report = outcome.report
    assert report["faults"]["restart"] == [5], outcome
    assert 5 not in report["failed_nodes"], outcome
    assert report["verified_nodes"] + len(report["failed_nodes"]) == 7, outcome
    assert sum(report["link_packets"][5]) > 0, outcome # since it came back
    assert report["counters"]["packets_delivered"] > 0, outcome
    assert "declared dead" not in outcome.err, outcome


def test_a_node_that_is_restarted_twice_at_once_comes_back(engine):
    outcome = run(engine, "--dim", 2, "--app", IMAGES / "hello.elf", "--lockstep", "--faults",
                  "restart:3@0,restart:3@0")
    assert outcome.status == 0 and outcome.report["faults"]["restart"] == [3, 3], outcome


def test_a_killed_node_comes_back(engine):
    report = chat(engine, "kill:5@100,restart:5@150")
    assert report["faults"]["kill"] == [5] and report["faults"]["restart"] == [5]
    assert sum(report["link_packets"][5]) > 0


@pytest.mark.parametrize("faults", ["cut:0/0@100,mend:0/0@200",
                                    "restart:5@100,restart:2@150,drop:0.05",
                                    "cut:random@random x3,mend:random@random x2,"
                                    "restart:random@random x2"])
def test_what_comes_back_is_repeated_by_the_seed_to_the_byte(engine, faults):
    first, second = (chat(engine, faults, "--seed", 9) for _ in range(2))
    assert without_host_time(first) == without_host_time(second)


def test_both_engines_do_the_same():
    faults = "restart:5@100,cut:0/0@60,mend:0/0@120"
    sim, qemu = (chat(engine, faults) for engine in ("sim", "qemu"))
    for key in ("steps", "model_time", "link_packets", "delivery_hash", "verified_nodes"):
        assert sim[key] == qemu[key], key


@pytest.mark.parametrize("how", [SIM, LOCKSTEP, FREE])
def test_a_leaf_that_is_restarted_costs_the_others_nothing(how):
    outcome = run(*how.split(), "--dim", 3, "--op", "bcast", "--tree", "sbt", "--bytes", 100000,
                  "--packet", 256, "--faults", "restart:7@200")
    assert outcome.status == 0, outcome
    assert outcome.report["verified_nodes"] == 7, outcome
    assert "7 of 7 live nodes, 1 killed or restarted" in outcome.out, outcome


@pytest.mark.parametrize("how", [LOCKSTEP, FREE])
def test_a_program_that_insists_gets_through_when_its_cable_is_mended(how):
    outcome = mesh("run", "--engine", *how.split(), "--app", IMAGES / "app_again.elf", "--dim", 2,
                   "--faults", "cut:0/0@60,cut:0/1@60,mend:0/0@200", "--timeout", 60, "--", "0",
                   "1", "100")
    assert outcome.status == 0, outcome
    # Free running the cable may be back before the silence was long enough.
    assert ("all there after failures" if how == LOCKSTEP else "all there") in outcome.out, outcome


def test_a_program_begins_anew_in_a_restarted_node():
    for engine in ("sim", "qemu"):
        outcome = mesh("run", "--engine", engine, "--app", "hello", "--dim", 2,
                       "--lockstep", "--faults", "restart:3")
        assert outcome.status == 0, outcome
        assert outcome.out.count("[3] ") >= outcome.out.count("[2] ") > 0, outcome


@pytest.mark.parametrize("faults,allowed", [("mend:0/0@5", "it is not cut"),
                                            ("cut:0/0@9,mend:0/0@5", "so mend it later"),
                                            ("cut:0/0,mend:0>0@5", "in the directions"),
                                            ("restart:8@5", "nodes are 0 to 7")])
def test_what_cannot_come_back_is_refused(faults, allowed):
    refused(run("sim", *CHAT, "--faults", faults), allowed)
