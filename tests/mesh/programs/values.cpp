// Values that are taken as another type, or that nobody has set. // build: --engine sim
#include "meshputer.hpp"
#include <array>
#include <cstring>
using namespace mesh;
struct Reading {
    std::uint32_t id;
    float value;
};
struct Setting {
    std::uint32_t id;
    std::uint32_t limit;
};
Process later(Kernel& node, Channel<int>& channel) {
    co_await node.sleep(5 * wire::kTicksPerUnit);
    co_await channel.write(3); // gone
    co_return Status::ok;
}
Process gone(Kernel& node) {
    Channel<int> channel{node};
    if (!node.spawn(later(node, channel)))
        co_return Status::no_memory;
    co_await node.sleep(1);
    co_return Status::ok;
}
Process at_once(Kernel&, Channel<int>& channel) {
    co_await channel.write(3); // held
    co_return Status::ok;
}
Process takes(Kernel& node) {
    Channel<int> channel{node};
    if (!node.spawn(at_once(node, channel)))
        co_return Status::no_memory;
    const int value = co_await channel.read();
    co_return value == 3 ? Status::ok : Status::failed;
}
Process reads(Kernel& node, const unsigned& number) {
    co_await node.sleep(5 * wire::kTicksPerUnit);
    print("{}\n", number); // read
    co_return Status::ok;
}
Process lends(Kernel& node) {
    unsigned number = 7;
    if (!node.spawn(reads(node, number)))
        co_return Status::no_memory;
    co_await node.sleep(1);
    co_return number == 7 ? Status::ok : Status::failed;
}
std::array<int, 4> four{};
[[gnu::noinline]] int sum_of(std::size_t end) {
    int places[4] = {1, 2, 3, 4}, sum = 0;
    for (const int* place = places; place != places + end; ++place)
        sum += *place; // 15
    return sum;
}
[[gnu::noinline]] void write_at(std::size_t at) {
    int* const places = four.data();
    places[at] = 1; // 16
}
Process app_main(Kernel& node) {
    const bool first = node.id() == NodeId{0};
    const int which = word<int>(node, 0, 0);
    const NodeId other = node_at(1);
    Reading reading{3, 1.5F};
    Setting setting{};
    float number = 1;
    std::array<unsigned, 2> bits{3, 4};
    std::array<std::byte, 8> room{};
    Status status = Status::ok;
    if (first && which <= 2)
        status = co_await send_value(node, reading, other, 5);
    if (!first && which == 1)
        status = (co_await receive_value(node, setting)).status; // 1
    if (!first && which == 2) // no mistake: bytes may be anything, and receive() takes anything
        status = (co_await receive_value(node, room, NodeId{0}, 5)).status;
    if (first && which == 3)
        status = co_await ChannelOut{other, ChannelNumber{1}}.write(node, reading);
    if (!first && which == 3)
        status = (co_await ChannelIn{NodeId{0}, ChannelNumber{1}}.read(node, setting)).status; // 3
    if (first && which == 4)
        status = co_await ChannelOut<float>{node, other, ChannelNumber{2}}.write(number);
    if (!first && which == 4)
        bits[0] = co_await ChannelIn<unsigned>{node, NodeId{0}, ChannelNumber{2}}.read(); // 4
    for (int round = 0; first && which == 5 && round < 3; ++round) // no mistake, each
        if (const Status sent = round == 1 ? co_await send_value(node, -1, other, 6)
                                           : co_await send_value(node, bits, other, 6);
            sent != Status::ok)
            status = sent;
    if (!first && which == 5) {
        std::array<int, 2> signs{};
        unsigned one = 0;
        status = (co_await receive(node, room, NodeId{0}, 6)).status;
        if (status == Status::ok) {
            const auto [verdict, source, tag, bytes] =
                co_await receive_value(node, one, NodeId{0}, 6);
            status = tag == 6 && source == NodeId{0} && bytes == 4 ? verdict : Status::failed;
        }
        if (status == Status::ok)
            status = (co_await receive_value(node, signs, NodeId{0}, 6)).status;
        print("{} {}\n", one == ~0u, signs[1]);
    }
    if (!first && which == 6) {
        status = co_await gone(node);
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 19) {
        status = co_await takes(node);
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 7) {
        status = co_await lends(node);
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 8) {
        unsigned sum;
        co_await node.yield();
        std::memcpy(bits.data(), &sum, sizeof sum);
        print("{}\n", bits[0]); // 8
    }
    if (!first && which == 10) {
        if (!node.spawn(reads(node, 42))) // 10
            status = Status::no_memory;
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 11) // no mistake: it stays until par() has ended
        status = co_await par(node, reads(node, 42));
    if (!first && which == 12) { // nor this: the variable stays
        if (!node.spawn(reads(node, bits[0])))
            status = Status::no_memory;
        co_await node.sleep(9 * wire::kTicksPerUnit);
    }
    if (!first && which == 18) {
        int sum;
        co_await node.yield();
        std::memcpy(bits.data(), &sum, sizeof sum);
        status = co_await send_value(node, bits[0], NodeId{0}, 2); // 18
    }
    if (!first && which == 15)
        print("{}\n", sum_of(bits[1] + 1)); // of five places
    if (!first && which == 16)
        write_at(bits[1]);
    if (!first && which == 17) {
        write_at(bits[0]);
        print("{}\n", sum_of(bits[1]));
    }
    if (!first && which == 13)
        status = (co_await receive_value(node, number, NodeId{0}, 9)).status;
    if (!first && which == 14)
        status = (co_await ChannelIn<float>{node, NodeId{0}, ChannelNumber{7}}.read(number)).status;
    if (!first && which == 9)
        print("{} {}\n", static_cast<const char*>(nullptr), 0xDBDBDBDAu);
    co_return status;
}
