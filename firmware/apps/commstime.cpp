// commstime: occam's ring of four processes in each node; what a number costs on its way round.
// Words: how many numbers go round (1000). A simulation counts nanoseconds for cycles.
#include "meshputer.hpp"

#include <algorithm>

namespace {

using Wire = mesh::Channel<unsigned>;

mesh::Process prefix(mesh::Kernel&, Wire& in, Wire& out, unsigned rounds) {
    unsigned value = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        co_await out.write(value);
        value = co_await in.read();
    }
    co_return mesh::Status::ok;
}

mesh::Process delta(mesh::Kernel&, Wire& in, Wire& back, Wire& out, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned value = co_await in.read();
        co_await out.write(value);
        co_await back.write(value);
    }
    co_return mesh::Status::ok;
}

mesh::Process successor(mesh::Kernel&, Wire& in, Wire& out, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned value = co_await in.read();
        co_await out.write(value + 1);
    }
    co_return mesh::Status::ok;
}

mesh::Process consume(mesh::Kernel&, Wire& in, unsigned rounds) {
    constexpr unsigned kEach = 4; // communications for a number
    unsigned value = 0;
    const std::uint64_t begin = mesh::cycles();
    for (unsigned round = 0; round < rounds; ++round)
        value = co_await in.read();
    const std::uint64_t cycles = (mesh::cycles() - begin) / (kEach * std::max(rounds, 1u));
    mesh::print("{} numbers, the last is {}; {} cycles a communication\n", rounds, value, cycles);
    co_return value + 1 == rounds ? mesh::Status::ok : mesh::Status::failed;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const auto rounds = mesh::word<unsigned>(node, 0, 1000);
    Wire to_delta{node};
    Wire to_successor{node};
    Wire to_prefix{node};
    Wire to_consumer{node};
    co_return co_await mesh::par(node, prefix(node, to_prefix, to_delta, rounds),
                                 delta(node, to_delta, to_successor, to_consumer, rounds),
                                 successor(node, to_successor, to_prefix, rounds),
                                 consume(node, to_consumer, rounds));
}
