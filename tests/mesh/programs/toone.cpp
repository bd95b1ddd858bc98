// build: --engine sim
// Every node but node 0 sends node 0 messages, one after the other, which come in their order and
// once each. Words: how many (2).
#include "meshputer.hpp"

#include <algorithm>
#include <cstdint>

namespace {

constexpr mesh::NodeId kGoal{0};
constexpr mesh::Tag kTag = 3;

struct Numbered {
    std::uint32_t source, number;
};

/// How many of each node have come, a byte each; in the workspace, which has room for all.
mesh::Process takes(mesh::Kernel& node, std::uint32_t count) {
    const std::span<std::byte> came = node.workspace().first(node.nodes());
    std::ranges::fill(came, std::byte{0});
    for (std::uint32_t left = count * (node.nodes() - 1); left != 0; --left) {
        Numbered value{};
        const mesh::Received got =
            co_await mesh::receive_value(node, value, mesh::kAnySource, kTag);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        std::byte& of_source = came[mesh::index(got.source)];
        if (value.source != mesh::index(got.source) ||
            value.number != std::to_integer<std::uint32_t>(of_source)) {
            mesh::print("message {} of node {} came as its number {}\n", value.number, got.source,
                        std::to_integer<unsigned>(of_source));
            co_return mesh::Status::failed;
        }
        of_source = static_cast<std::byte>(value.number + 1);
    }
    mesh::print("all came\n");
    co_return mesh::Status::ok;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const auto count = mesh::word<std::uint32_t>(node, 0, 2);
    if (node.id() == kGoal)
        co_return co_await takes(node, count);
    for (std::uint32_t number = 0; number < count; ++number) {
        const Numbered value{mesh::index(node.id()), number};
        const mesh::Status status = co_await mesh::send_value(node, value, kGoal, kTag);
        if (status != mesh::Status::ok)
            co_return status;
    }
    co_return mesh::Status::ok;
}
