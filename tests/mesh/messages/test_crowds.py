"""Crowds: however many wait for one receiver, a message costs the same, and all have turns."""
import pytest

from crowd_tool import app, ends_well
from mesh_tool import BUILD, IMAGES, boards, console
from networks import distance, nodes_of

PROGRAM = IMAGES / "app_storm.elf"
GOALS = (0, 1)
SENDERS, MESSAGES = 8, 10 # of a node, of a sender
BYTES, PACKET = 4000, 1024
PACKETS = -(-BYTES // PACKET)
UHC = ["--topology", "uhc", "--dim", 6]
NODES = nodes_of("uhc", 6)
WAITING_SHARE = 4 # of the pool, for offers that wait


def words(senders, messages, size=BYTES, paired=1):
    """Of storm.cpp: all messages go to the two goals; paired: each sender's to one of them."""
    return [senders, messages, size, PACKET, 1, 100, GOALS[1], paired]


def links_needed(senders, messages):
    """Links that one packet of every message crosses, on the way there."""
    return messages * sum(distance("uhc", 6, node, GOALS[(node + sender) % 2])
                          for node in range(NODES) for sender in range(senders))


@pytest.fixture(scope="module")
def crowd():
    """5,120 messages at two goals, on a pool in which 53 of them may wait."""
    return app("sim", PROGRAM, ["--board", "ast1030-evb", *UHC],
               words(SENDERS, MESSAGES))


def test_in_a_crowd_data_crosses_hardly_more_links_than_it_needs(crowd):
    """A message may be offered in vain once, with its first packet; then it comes when called."""
    report = ends_well(crowd)
    needed = PACKETS * links_needed(SENDERS, MESSAGES)
    assert needed <= report["hops"] <= 1.3 * needed, (needed, report["hops"])


def test_in_a_crowd_all_that_is_said_about_a_message_is_a_constant(crowd):
    """A sender that is sent away costs three packets more: offer, refusal, and call."""
    alone = ends_well(app("sim", PROGRAM, ["--board", "ast1030-evb", *UHC], words(1, 1)))
    assert alone["counters"]["bounces"] == 0
    of_one = alone["counters"]["packets_sent"] / links_needed(1, 1)
    of_crowd = (ends_well(crowd)["counters"]["packets_sent"] / links_needed(SENDERS, MESSAGES))
    assert of_crowd <= of_one + 3.5, (of_one, of_crowd)


def test_in_a_crowd_nobody_is_sent_away_again_and_again():
    report = ends_well(app("sim", PROGRAM, UHC, words(SENDERS, MESSAGES, 3000, paired=0)))
    assert report["counters"]["bounces"] <= 2 * NODES * SENDERS * MESSAGES, report["counters"]


def test_in_a_crowd_every_sender_has_its_turn(crowd):
    """Between two messages of one come at most those of all others, what waited before, and one of
    each node, if the offer was under way when its node had its turn."""
    ends_well(crowd)
    others = NODES * SENDERS // len(GOALS) - 1
    waiting = boards.facts(BUILD, "ast1030-evb")["buffers"] // WAITING_SHARE + 1
    longest = {goal: int(console(crowd)[goal][0].split()[-1]) for goal in GOALS}
    assert all(turn <= others + 1 + waiting + NODES for turn in longest.values()), (longest, others)


@pytest.mark.parametrize("where", [["--topology", "uhc", "--dim", 5], ["--dim", 5],
                                   ["--topology", "star", "--dim", 5]])
@pytest.mark.parametrize("size", [0, 3000])
def test_a_crowd_at_the_smallest_pool_ends(where, size):
    """An offer that is made again and again starves the fragment that its receiver waits for."""
    ends_well(app("sim", PROGRAM, ["--board", "netduinoplus2", *where],
                  words(5, 10, size, paired=0)))
