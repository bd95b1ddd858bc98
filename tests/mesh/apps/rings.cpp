// Rings: each node is in a group whose members are in the order of a ring or of their addresses, a
// subcube or not. The group broadcasts and reduces; then node 0 says how many steps that took.
// Words: MEMBERS (a power of two) ORDER (0: the Gray code; 1: addresses; 2: every other node of
// all, by addresses) ROUNDS (1).
#include "meshputer.hpp"

#include <array>
#include <cstdint>

namespace {

constexpr std::uint32_t kMost = 256;
std::array<mesh::NodeId, kMost> room;

/// Keeps the order in which ranks were combined: two blocks that follow each other become one.
struct Block {
    std::uint32_t first, end;
    bool good;
};
struct Follow {
    Block operator()(const Block& left, const Block& right) const {
        return {left.first, right.end, left.good && right.good && left.end == right.first};
    }
};

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const auto size = mesh::word<std::uint32_t>(node, 0, 4);
    const auto order = mesh::word<std::uint32_t>(node, 1, 0);
    const auto rounds = mesh::word<std::uint32_t>(node, 2, 1);
    const std::uint32_t self = mesh::index(node.id());
    const std::uint32_t base = order == 2 ? self % 2 : self & ~(size - 1);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        const std::uint32_t places[] = {rank ^ rank >> 1, rank, 2 * rank};
        room[rank] = mesh::node_at(base + places[order % 3]);
    }
    const mesh::Group group{node, std::span{room}.first(size), 5};
    if (!group.member())
        co_return mesh::Status::ok;
    mesh::Status all = mesh::Status::ok;
    bool right = true;
    std::uint64_t down = 0, up = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        const mesh::wire::ModelTime start = node.now();
        std::uint32_t value = group.rank() == 0 ? 1000 + round : 0;
        const mesh::Status given = co_await mesh::group_broadcast(node, group, value);
        right = right && value == 1000 + round;
        down += node.now() - start;
        const mesh::Status met = co_await mesh::group_barrier(node, group);
        const mesh::wire::ModelTime middle = node.now();
        Block block{group.rank(), group.rank() + 1, true};
        const mesh::Status reduced = co_await mesh::group_reduce<Follow>(node, group, block);
        right =
            right && (group.rank() != 0 || (block.good && block.first == 0 && block.end == size));
        up += node.now() - middle;
        all =
            mesh::first_failure(mesh::first_failure(all, given), mesh::first_failure(met, reduced));
    }
    if (self == 0)
        mesh::print("up {} steps\n", up / mesh::wire::kTicksPerUnit);
    if (group.rank() == size - 1 && base == 0)
        mesh::print("down {} steps\n", down / mesh::wire::kTicksPerUnit);
    co_return right ? all : mesh::Status::failed;
}
