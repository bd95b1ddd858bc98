// Multicast: nodes drawn by lot get what the root has, all others keep what they have.
// Words: MEMBERS BYTES ROUNDS ROOT SEED HOW (0: multicast; 1: group_broadcast, by the members;
// 2: multicast_value, of four bytes).
// Node 0 says who the members are, and each node how many steps went by until it was done.
#include "meshputer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

namespace {

constexpr std::uint32_t kMost = 1024;
std::array<mesh::NodeId, kMost> room;
std::array<std::byte, 20000> data;

std::byte value_of(std::uint32_t round, std::size_t at) {
    return std::byte(37 * round + at + (at >> 8) + 1);
}

/// The root first, then members in an order drawn by lot.
std::span<const mesh::NodeId> draw(mesh::Kernel& node, std::uint32_t count, std::uint32_t root,
                                   std::uint32_t seed) {
    const auto all = std::span{room}.first(node.nodes());
    for (std::uint32_t at = 0; at < node.nodes(); ++at)
        all[at] = mesh::node_at(at);
    std::swap(all[0], all[root]);
    mesh::Random random{seed};
    for (std::uint32_t at = 1; at < count; ++at)
        std::swap(all[at], all[at + random.below(node.nodes() - at)]);
    std::ranges::sort(all.subspan(1, count - 1));
    return all.first(count);
}

mesh::Task<mesh::Status> once(mesh::Kernel& node, mesh::MulticastPlan plan,
                              std::span<std::byte> bytes, unsigned how) {
    const mesh::Group group{node, plan.members, 5};
    mesh::Status status = mesh::Status::ok;
    if (how == 2) {
        auto value = mesh::wire::load<std::uint32_t>(bytes, 0);
        status = co_await mesh::multicast_value(node, value, plan.members, plan.root);
        mesh::wire::store(bytes, 0, value);
    } else if (how == 0) {
        status = co_await mesh::multicast(node, plan, bytes);
    } else if (group.member()) {
        status = co_await mesh::detail::broadcast_group(node, group, bytes, 0);
    }
    co_return status;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const auto count = std::min(mesh::word<std::uint32_t>(node, 0, 4), node.nodes());
    const auto bytes = std::span{data}.first(mesh::word<std::uint32_t>(node, 1, 4));
    const auto rounds = mesh::word<std::uint32_t>(node, 2, 1);
    const auto root = mesh::word<std::uint32_t>(node, 3, 0);
    const auto members = draw(node, count, root, mesh::word<std::uint32_t>(node, 4, 1));
    const auto how = mesh::word<unsigned>(node, 5, 0);
    const bool member = std::ranges::find(members, node.id()) != members.end();
    if (mesh::index(node.id()) == 0)
        for (const mesh::NodeId one : members)
            mesh::print("member {}\n", one);
    mesh::Status all = mesh::Status::ok;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::size_t at = 0; at < bytes.size(); ++at)
            bytes[at] = mesh::index(node.id()) == root ? value_of(round, at) : std::byte{};
        const mesh::MulticastPlan plan{.members = members, .root = mesh::node_at(root)};
        const mesh::Status status = co_await once(node, plan, bytes, how);
        all = mesh::first_failure(all, status);
        for (std::size_t at = 0; at < bytes.size(); ++at)
            if (bytes[at] !=
                (member || mesh::index(node.id()) == root ? value_of(round, at) : std::byte{}))
                co_return mesh::first_failure(all, mesh::Status::failed);
    }
    if (member)
        mesh::print("{} steps\n", node.now() / mesh::wire::kTicksPerUnit);
    co_return all;
}
