// Onesided: every node but the target draws tickets from a window of the target, which sleeps
// meanwhile. Each node prints the tickets that it got, and how many operations say that they
// may not have been done. Words: TARGET ROUNDS (100).
#include "meshputer.hpp"

#include <array>
#include <cstdint>

namespace {
constexpr mesh::WindowNumber kTickets{3};
std::array<std::uint64_t, 2> counters{};
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const mesh::NodeId target = mesh::node_at(mesh::word<std::uint32_t>(node, 0, 0));
    const auto rounds = mesh::word<std::uint32_t>(node, 1, 100);
    mesh::Window window{node, kTickets, std::span{counters}};
    std::uint32_t unconfirmed = 0;
    mesh::Status all = window.status();
    if (node.id() == target)
        for (std::uint32_t nap = 0; nap < rounds; ++nap)
            co_await node.sleep(mesh::wire::kTicksPerUnit);
    for (std::uint32_t round = 0; round < rounds && node.id() != target; ++round) {
        const auto got = co_await mesh::fetch_add(node, std::uint64_t{1}, target, kTickets, 1);
        if (got.status == mesh::Status::ok)
            mesh::print("{} ", got.value);
        else if (got.status == mesh::Status::unreachable)
            ++unconfirmed;
        else
            all = mesh::first_failure(all, got.status);
    }
    // The target takes leave of each by a message, which finds its way where a barrier would not.
    bool done = true;
    if (node.id() != target) {
        mesh::print("and {} not known\n", unconfirmed);
        std::ignore = co_await mesh::send_value(node, target, done, 1);
        co_return all;
    }
    for (std::uint32_t origin = 0; origin < node.nodes(); ++origin)
        if (mesh::node_at(origin) != target)
            std::ignore = co_await mesh::receive_value(node, done, 1, mesh::node_at(origin));
    mesh::print("counted {}\n", counters[1]);
    co_return all;
}
