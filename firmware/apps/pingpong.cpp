// pingpong: node 0 bounces a message off every other node and prints the round trip in model time.
// Words: its bytes (64, at most 4096). With --tau A --tc B each packet takes A and B a byte.
#include "meshputer.hpp"

#include <algorithm>
#include <array>

namespace {
constexpr mesh::ChannelNumber kPing{0};
constexpr mesh::ChannelNumber kPong{1};
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    std::array<std::byte, 4096> room{};
    const auto ball =
        std::span{room}.first(std::min(mesh::word<std::size_t>(node, 0, 64), room.size()));
    if (node.id() != mesh::NodeId{0}) {
        const mesh::Received got =
            co_await mesh::ChannelIn{mesh::NodeId{0}, kPing}.read(node, ball);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        co_return co_await mesh::ChannelOut{mesh::NodeId{0}, kPong}.write(node, ball);
    }
    for (std::uint32_t peer = 1; peer < node.nodes(); ++peer) {
        const mesh::wire::ModelTime start = node.now();
        const mesh::ChannelOut ping{mesh::node_at(peer), kPing};
        if (co_await ping.write(node, ball) != mesh::Status::ok)
            co_return mesh::Status::unreachable;
        const mesh::Received back =
            co_await mesh::ChannelIn{mesh::node_at(peer), kPong}.read(node, ball);
        if (back.status != mesh::Status::ok)
            co_return back.status;
        const double ticks = static_cast<double>(node.now() - start);
        mesh::print("node {} and back: {:.2f} steps\n", peer, ticks / mesh::wire::kTicksPerUnit);
    }
    co_return mesh::Status::ok;
}
