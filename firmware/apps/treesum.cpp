// treesum: adds up over a full binary tree of nodes, whose root prints the sum. With --input each
// vertex holds the bytes of its share of the file, else the number of its node.
#include "meshputer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

using namespace mesh;

constexpr ChannelNumber kSum{0};

/// The sum of this vertex's bytes: vertex v has those of the v-th share, the last ones may be
/// shorter.
static Task<std::uint32_t> share(Kernel& node, std::uint32_t vertex, std::uint32_t vertices) {
    const std::uint32_t total = input_bytes(node);
    const std::uint32_t most = total / vertices + 1;
    const std::uint32_t end = std::min(total, (vertex + 1) * most);
    std::uint32_t sum = 0;
    std::array<std::byte, 256> buffer;
    for (std::uint32_t at = vertex * most; at < end;) {
        const auto chunk = std::span{buffer}.first(std::min<std::size_t>(end - at, buffer.size()));
        if (co_await read_input(node, at, chunk) != Status::ok)
            break;
        for (const std::byte byte : chunk)
            sum += std::to_integer<std::uint32_t>(byte);
        at += static_cast<std::uint32_t>(chunk.size());
    }
    co_return sum;
}

Process app_main(Kernel& node) {
    const BinaryTree tree{node};
    if (tree.levels() == 0)
        co_return refuse(node, "treesum wants a cube");
    if (!tree.vertex())
        co_return Status::ok; // beside the tree
    std::uint32_t sum = index(node.id());
    if (node.job().has_input != 0)
        sum = co_await share(node, *tree.vertex(), tree.vertices());
    const std::array<std::optional<Neighbor>, 2> children{tree.left(), tree.right()};
    for (const auto& child : children) {
        if (!child)
            continue;
        const ChannelIn<std::uint32_t> in{node, child->node, kSum};
        std::uint32_t part = 0;
        const Received received = co_await in.read(part);
        if (received.status != Status::ok)
            co_return received.status;
        sum += part;
    }
    if (const auto parent = tree.parent()) {
        const ChannelOut<std::uint32_t> out{node, parent->node, kSum};
        co_return co_await out.write(sum);
    }
    printf("sum over %u vertices: %u\n", static_cast<unsigned>(tree.vertices()),
           static_cast<unsigned>(sum));
    co_return Status::ok;
}
