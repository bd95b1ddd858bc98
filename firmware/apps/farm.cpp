// farm: node 0 hands numbers to whichever worker is free and adds up the squares they return.
#include "meshputer.hpp"

#include <array>
#include <cstdio>

namespace {
constexpr mesh::ChannelNumber kWork{0}, kDone{1};
constexpr std::uint32_t kTasks = 100, kStop = ~0u;
using Word = std::array<std::uint32_t, 1>;

mesh::Process worker(mesh::Kernel& node) {
    const mesh::NodeId root{0};
    for (Word word{0}; word[0] != kStop;) { // the first result, 0, says that it is free
        word[0] *= word[0];
        static_cast<void>(
            co_await mesh::ChannelOut{root, kDone}.write(node, std::as_bytes(std::span{word})));
        co_await mesh::ChannelIn{root, kWork}.read(node, std::as_writable_bytes(std::span{word}));
    }
    co_return mesh::Status::ok;
}
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    if (node.id() != mesh::NodeId{0})
        co_return co_await worker(node);
    std::array<mesh::MailGuard, 256> free; // one channel from each worker
    for (std::uint32_t i = 1; i < node.nodes(); ++i)
        free[i - 1] = mesh::on(mesh::ChannelIn{mesh::node_at(i), kDone});
    std::uint32_t sum = 0, next = 1;
    for (std::uint32_t stopped = 0; stopped < node.nodes() - 1;) {
        const auto which = co_await mesh::alt(
            node, std::span<const mesh::MailGuard>{free}.first(node.nodes() - 1));
        Word word{};
        const mesh::NodeId peer = mesh::node_at(static_cast<std::uint32_t>(which) + 1);
        co_await mesh::ChannelIn{peer, kDone}.read(node, std::as_writable_bytes(std::span{word}));
        sum += word[0];
        word[0] = next <= kTasks ? next++ : (++stopped, kStop);
        static_cast<void>(
            co_await mesh::ChannelOut{peer, kWork}.write(node, std::as_bytes(std::span{word})));
    }
    printf("sum of squares 1..%u is %u\n", static_cast<unsigned>(kTasks),
           static_cast<unsigned>(sum));
    co_return mesh::Status::ok;
}
