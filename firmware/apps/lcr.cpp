// lcr: in a ring of one way the node with the greatest number becomes the leader.
// LeLann, Chang and Roberts: a number goes on until it meets a greater one; that which comes back
// to its own node has won. From 3N - 1 to N (N + 3) / 2 messages, as the numbers lie (--seed).
#include "meshputer.hpp"

using namespace mesh;

constexpr Tag kCandidate = 1, kLeader = 2;

Process app_main(Kernel& node) {
    const unsigned me = index(node.id()), nodes = node.nodes();
    const NodeId next = node_at((me + 1) % nodes);
    const unsigned mine = (Random{node}.next() & ~1023u) | me; // no two nodes have the same
    Outbox outbox{node, node.workspace()};
    Status status = co_await outbox.put(mine, next, kCandidate);
    unsigned messages = 1, number = 0;
    // The leader's word is the last of the ring: it comes behind all numbers, and goes round once.
    for (Tag tag = kCandidate; tag != kLeader && status == Status::ok;) {
        const Received got = co_await receive_value(node, number);
        status = got.status;
        tag = got.tag;
        const bool wins = tag == kCandidate && number == mine;
        if (status == Status::ok && (number > mine || wins)) {
            status = co_await outbox.put(number, next, wins ? kLeader : tag);
            ++messages;
        }
    }
    if (status == Status::ok)
        status = co_await outbox.flush();
    unsigned greatest = mine;
    if (status == Status::ok)
        status = co_await allreduce_value<Upper>(node, greatest);
    if (status == Status::ok)
        status = co_await allreduce_value(node, messages);
    if (me == 0)
        print("node {} leads after {} messages; from {} to {}\n", number % 1024, messages,
              3 * nodes - 1, nodes * (nodes + 3) / 2);
    co_return greatest == number ? status : Status::failed;
}
