// election: a ring of nodes chooses the one with the greatest random number.
// Another leader for each --seed; every node says the same.
#include "meshputer.hpp"

namespace {
/// A candidate for leader, and its rank.
struct Candidate {
    std::uint32_t number;
    std::uint32_t node;
    bool operator<(const Candidate& other) const {
        return number != other.number ? number < other.number : node < other.node;
    }
};
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    const mesh::NodeId next = mesh::node_at((me + 1) % node.nodes());
    const mesh::NodeId before = mesh::node_at((me + node.nodes() - 1) % node.nodes());
    const Candidate mine{mesh::Random(node).next(), me};
    Candidate best = mine;
    Candidate word = mine; // what goes on to the next node
    // After as many turns as there are nodes everybody has seen everybody's number.
    for (unsigned turn = 0; turn < node.nodes(); ++turn) {
        Candidate heard{};
        const mesh::Received got = co_await mesh::sendrecv_value(node, word, next, heard, before);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        best = best < heard ? heard : best;
        word = best;
    }
    mesh::print("the leader is node {}\n", best.node);
    Candidate check = best;
    const mesh::Status agreed = co_await mesh::broadcast_value(node, check);
    if (agreed != mesh::Status::ok)
        co_return agreed;
    co_return check.node == best.node ? mesh::Status::ok : mesh::Status::failed;
}
