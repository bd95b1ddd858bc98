// A node under attack: any frames on any port, in any order, with time passing between them.
//
// The kernel never fails a CHECK, never owns more buffers than its pool has, and counts every frame
// that is not one of ours as dropped.
#include "frame_source.hpp"
#include "kernel/node/node_core.hpp"
#include "require.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

using namespace mesh;

constexpr unsigned kPorts = 3;
constexpr std::size_t kBuffers = 8;
constexpr std::uint32_t kSelf = 5;

/// A program that takes every message that comes, for ever.
Process take_all(Kernel& kernel) {
    for (;;)
        co_await kernel.receive({});
    co_return Status::ok;
}

/// One node of a 3-cube with its memory.
class Target {
public:
    Target()
        : buffers_(kBuffers),
          slots_(kBuffers * kPorts),
          arena_(8192),
          workspace_(256),
          node_({{Topology::cube, kPorts}, node_at(kSelf)},
                {buffers_, slots_, links_, processes_, peers_, arena_, workspace_}, {4096},
                {&discard, nullptr}, &take_all),
          receiving_(node_.lend()) {
        node_.boot();
        for (unsigned port = 0; port < kPorts; ++port) // so that links are in their first session
            frame(port_at(port), hello(port));
    }

    void frame(Port port, const fuzz::Bytes& bytes) {
        std::array<std::byte, wire::kHeadBytes> head{};
        const std::size_t head_bytes = std::min(bytes.size(), head.size());
        std::copy_n(bytes.begin(), head_bytes, head.begin());
        const std::size_t rest = std::min(bytes.size() - head_bytes, receiving_->bytes.size());
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(head_bytes), rest,
                    receiving_->bytes.begin());

        wire::LinkHeader header;
        const bool ours = wire::read_head(head, bytes.size(), header) == wire::Parse::ok;
        const std::uint32_t dropped = drops();
        if (node_.on_frame(port, wire::load<wire::Head>(head, 0), bytes.size(), receiving_)) {
            receiving_ = node_.lend();
            require(receiving_ != nullptr);
        }
        require(ours || drops() == dropped + 1 || node_.hung());
        work();
    }

    void pass(std::uint32_t time_us) {
        now_us_ += time_us;
        node_.set_clock(now_us_);
        node_.rest();
        work();
    }

private:
    /// As the neighbour at `port` says it in its first life.
    static fuzz::Bytes hello(unsigned port) {
        fuzz::Bytes frame(wire::kHeadBytes);
        wire::write_head({.kind = wire::Kind::hello,
                          .port = port_at(port),
                          .sequence = kPorts, // the network: a cube
                          .refused = kSelf ^ (1u << port),
                          .free_buffers = wire::kNoNumber,
                          .hops = 1},
                         {}, std::span{frame}.first<wire::kHeadBytes>());
        return frame;
    }

    static void discard(void*, const wire::LinkHeader&, std::span<const std::byte>) {}

    std::uint32_t drops() {
        const Counters& counters = node_.kernel().counters();
        return counters[Counter::drop_crc] + counters[Counter::drop_malformed];
    }

    void work() {
        node_.run();
        wire::LinkHeader header;
        PacketBuffer* packet = nullptr;
        for (unsigned sent = 0; node_.next_frame(header, packet); ++sent) {
            require(sent < 10'000);
            require(packet == nullptr || packet->references > 0);
        }
        require(node_.kernel().pool().used() <= kBuffers);
    }

    std::vector<PacketBuffer> buffers_;
    std::vector<PortSlot> slots_;
    std::array<Link, kPorts> links_;
    std::array<ProcessSlot, limits::kProcessesMax> processes_;
    std::array<Peer, 64> peers_;
    std::vector<std::byte> arena_;
    std::vector<std::byte> workspace_;
    NodeCore node_;
    PacketBuffer* receiving_;
    std::uint64_t now_us_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input(data, size);
    Target target;
    while (input.remaining_bytes() > 0) {
        const unsigned port = input.ConsumeIntegralInRange(0u, kPorts + 1);
        if (input.ConsumeIntegralInRange(0, 7) == 0)
            target.pass(input.ConsumeIntegral<std::uint32_t>() % 5'000'000);
        else
            target.frame(port <= kPorts ? port_at(port) : kHostPort, fuzz::next_frame(input));
    }
    return 0;
}
