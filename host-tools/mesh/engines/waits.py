"""For gdb: `source waits.py`, then `mesh-waits` says of each process of a node what it waits for,
and `mesh-continue` lets all nodes go on that are held.

The node may be held anywhere (`mesh run --gdb NODE`), or be the core of a real board. All is read
from its memory by the debug information of its image: what a process awaits is an object known by
the name of its function `ask`.
"""
import gdb

ANY_TAG, ANY_NODE = 0xFFFF, 0xFFFFFFFF
MATCHES = {  # where classes keep the Match that they wait for
    "mesh::Kernel::Arrival": lambda it: it["match_"],
    "mesh::PacketAwait": lambda it: it["wait_"]["match_"],
    "mesh::Receiving": lambda it: in_optional(it["wait_"]),
    "mesh::NextPacket": lambda it: in_optional(it["wait_"]),
    "mesh::FlowWait": lambda it: it["match_"] if int(it["until_"]) == 1 else None,
    "mesh::Step": lambda it: it["match_"] if it["takes_"] else None,
    "mesh::detail::MailThere": lambda it: it["match"],
}

# The calls to which messages with such a tag belong, as calls_with() of
# firmware/mpi/engine/awaited.hpp says.
MPI_CALLS = {1: "MPI_Barrier", 2: "MPI_Bcast", 3: "MPI_Reduce", 4: "MPI_Gather or its kin",
             5: "MPI_Scatter", 6: "MPI_Alltoall", 7: "MPI_Scan or MPI_Exscan",
             8: "the making of a communicator", 9: "MPI_Grequest_complete", 500: "MPI_Win_start",
             501: "MPI_Win_wait"}
MPI_OF_COLLECTIVES, MPI_FIRST_ANSWER = -1000, 1000

ALTERNATIVES = ("mesh::detail::Alternative", "mesh::detail::FairAlternative",
                "mesh::detail::RowAlternative")


def in_optional(wait):
    payload = wait["_M_payload"]
    return payload["_M_payload"]["_M_value"]["match_"] if payload["_M_engaged"] else None


def words_of_match(match):
    if match is None:
        return "a condition of its own"
    service, tag, source = str(match["service"]), int(match["tag"]), int(match["source"])
    text = {"message": "a message", "fragment": "the rest of a message"}.get(
        service.rsplit("::")[-1], "a packet")
    text += "" if tag == ANY_TAG else f" with tag {tag}"
    return text + (" from any node" if source == ANY_NODE else f" from node {source}")


def mpi_calls_with(tag):
    return MPI_CALLS.get(tag, "a call for a window" if tag >= MPI_FIRST_ANSWER else "a collective")


def words_of_mpi(it):
    node, tag = int(it["node"]), int(it["tag"])
    node = "any node" if node == ANY_NODE else f"node {node}"
    if tag <= MPI_OF_COLLECTIVES:
        return f"{node} in {mpi_calls_with(MPI_OF_COLLECTIVES - tag)}"
    tag = "any tag" if tag < 0 else f"tag {tag}"
    return (f"its MPI message with {tag} to be received by {node}" if int(it["is_send"])
            else f"an MPI message with {tag} from {node}")


def words_of(kind, it):
    if kind in MATCHES:
        return words_of_match(MATCHES[kind](it))
    if kind == "mesh::Sending":
        return (f"its message with tag {int(it['options_']['tag'])} to be taken by node "
                f"{int(it['outgoing_']['to'])}")
    if kind in ("mesh::mpi::RequestDone", "mesh::mpi::MessageThere"):
        return words_of_mpi(it["awaited"])
    if kind == "mesh::detail::ProcessEnded":
        return f"the end of its process {int(it['process']['slot'])}"
    if kind == "mesh::detail::ChannelWait":
        return ("somebody to write to a channel of its node" if int(it["wanted_"]) == 1
                else "somebody to read a channel of its node")
    if kind in ("mesh::Kernel::Allocation", "mesh::Kernel::Posting"):
        return "a buffer for a packet"
    if kind == "mesh::detail::TurnCome":
        return "its next turn"
    if kind == "mesh::Agreement":
        match = it["wait_"]["_M_payload"]["_M_payload"]["_M_value"]["match_"]
        return f"node {int(match['source'])} to begin the same collective"
    if kind in ALTERNATIVES:
        return words_of_guards(it["guards"])
    return "a time" if kind == "mesh::detail::TimeCome" else "a condition of its own"


WORDS_OF_GUARDS = {"mesh::ChannelGuard": "somebody to write to a channel of its node",
                   "mesh::LinkGuard": "an event of one of its links"}


def words_of_guard(guard):
    """Nothing of a guard that does not count."""
    kind = str(guard.type.strip_typedefs()).split("<")[0]
    if kind == "mesh::ConditionalGuard":
        return words_of_guard(guard["guard"]) if guard["holds"] else None
    if kind == "mesh::MailGuard":
        return words_of_match(guard["match"])
    return WORDS_OF_GUARDS.get(kind, "a time")


def words_of_guards(guards):
    found = []
    if str(guards.type.strip_typedefs()).startswith("std::span"):
        return "one of a row of guards"
    while guards is not None: # detail::Guards: the first one, then the rest
        members = [field.name for field in guards.type.strip_typedefs().fields()]
        found.append(words_of_guard(guards[members[0]]))
        guards = guards["rest"] if "rest" in members else None
    found = [words for words in found if words is not None]
    return found[0] if len(found) == 1 else f"the first of these: {'; '.join(found)}"


def first_argument(name):
    """Of "A<B<C, D>, E>" it is "B<C, D>"."""
    depth, begin = 0, name.index("<") + 1
    for at in range(begin, len(name)):
        depth += name[at] in "<("
        depth -= name[at] in ">)"
        if depth < 0 or (depth == 0 and name[at] == ","):
            return name[begin:at].strip()
    return ""


def awaited(waiting):
    """The name of the class that matters, and the object."""
    block = gdb.block_for_pc(int(waiting["ask_"]) & ~1)
    while block.function is None or "::ask(" not in block.function.print_name:
        block = block.superblock  # what begins there may be a function that was put into it
    outer = block.function.print_name.rpartition("::ask(")[0]
    if not outer.startswith("mesh::detail::Awaiter<"):
        return outer, waiting.cast(gdb.lookup_type(outer).pointer()).dereference()
    name = first_argument(outer)
    kind = name.split("<")[0]
    try:
        ready = int(waiting) + gdb.lookup_type("mesh::Waiting").sizeof
        return kind, gdb.Value(ready).cast(gdb.lookup_type(name).pointer()).dereference()
    except gdb.error:  # a lambda
        return "", None


class Waits(gdb.Command):
    """mesh-waits: what each process of this node waits for."""

    def __init__(self):
        super().__init__("mesh-waits", gdb.COMMAND_STATUS)

    def invoke(self, _arguments, _from_terminal):
        node_memory = gdb.parse_and_eval("'mesh::board::(anonymous namespace)::node_memory'")
        memory = node_memory["processes_"]
        slot_type = gdb.lookup_type("mesh::ProcessSlot")
        slots = memory.address.cast(slot_type.pointer())
        for number in range(memory.type.sizeof // slot_type.sizeof):
            slot = slots[number]
            if int(slot["root"]["_M_fr_ptr"]) == 0:
                continue
            waiting = slot["waiting"]
            what = f"waits for {words_of(*awaited(waiting))}" if int(waiting) else "can run"
            print(f"process {number} {what}")


Waits()


class MeshContinue(gdb.Command):
    """mesh-continue: let all nodes go on, each until a breakpoint of its own.

    gdb's `continue` lets go of the node of the chosen inferior alone: the debugger that emulators
    serve cannot be asked for more, whatever schedule-multiple says.
    """

    def __init__(self):
        super().__init__("mesh-continue", gdb.COMMAND_RUNNING)

    def invoke(self, _, from_tty):
        for node in sorted(gdb.inferiors(), key=lambda inferior: inferior.num):
            gdb.execute(f"inferior {node.num}", to_string=True)
            held = gdb.selected_thread()
            if held is not None and not held.is_running():
                gdb.execute("continue &", from_tty)


MeshContinue()
