// A mesh of nodes that send any bytes: through the engine's parser into the loom and the sessions.
//
// For any bytes, in parts of any size: nothing is read beyond their end, no node that is gone is
// answered, no text that is shown holds a control character, and no bound is passed.
#include "frame_source.hpp"
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/cables/frame_stream.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/run/node_session.hpp"
#include "kernel/processes/process_watch.hpp"
#include "require.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace {

using namespace mesh;

constexpr Network kCube{Topology::cube, 2};
constexpr std::uint32_t kNodes = 4;
constexpr std::size_t kOutputBytes = 100;
/// Of an input: some frames are enough, and short inputs are many.
constexpr std::size_t kInputBytesMax = 320;

host::Output::Share share_of(NodeId node) { return {index(node) * 20, 30}; }

/// The parts that all inputs have in common: made once, as none of them changes.
struct World {
    std::optional<host::Bytes> input{host::Bytes(150, std::byte{7})};
    host::Bytes files = host::Bytes(50, std::byte{8});
    host::Output output{kOutputBytes, true, share_of};
    host::SessionContext context{kCube, &input, &files, &output};
    host::Wiring wiring = host::wiring_of(kCube);
};

/// The host tool's side of four nodes, without processes and sockets.
class Rig final : public host::Cables, public host::SessionHandler {
public:
    explicit Rig(const World& world, bool lockstep)
        : loom_(kNodes, kCube.dim, world.wiring, {}, *this),
          sessions_{host::NodeSession{node_at(0), world.context, *this},
                    host::NodeSession{node_at(1), world.context, *this},
                    host::NodeSession{node_at(2), world.context, *this},
                    host::NodeSession{node_at(3), world.context, *this}} {
        if (lockstep)
            loom_.begin_lockstep();
    }

    /// Bytes of a node's socket.
    void receive(NodeId from, std::span<std::byte> bytes) {
        host::FrameReader& reader = readers_[index(from)];
        while (const auto frame = reader.next(bytes))
            loom_.frame_from(from, *frame);
        require(bytes.empty());
        if (reader.broken() && !std::as_const(loom_).gone(from))
            loom_.gone(from);
    }
    /// Standard error of a node's emulator.
    void complain(NodeId from, std::string_view text) { sessions_[index(from)].hear_errors(text); }
    void finish() {
        for (host::NodeSession& session : sessions_)
            session.flush();
        for (const host::SendQueue& queue : queues_)
            require(queue.held_bytes() <= host::bounds::kUnreadBytesMax);
    }

    // Cables
    bool deliver(NodeId to, std::span<const std::byte> frame) override {
        require(frame.size() >= wire::kCableBytes);
        host::SendQueue& queue = queues_[index(to)];
        const bool taken = queue.push(frame);
        queue.pop(queue.waiting().size() / 2);
        return taken;
    }
    void to_host(NodeId from, std::span<const std::byte> frame) override {
        if (sessions_[index(from)].live() && !sessions_[index(from)].hear(frame).empty())
            sessions_[index(from)].leave(host::Fate::ended, "for what it said");
    }
    void kill(NodeId) override {}
    void restart(NodeId, unsigned) override {}
    void expel(NodeId node, std::string_view why) override {
        require(!why.empty());
        sessions_[index(node)].leave(host::Fate::ended, why);
    }
    std::uint64_t now_us() const override { return 0; }

    // SessionHandler
    void answer(NodeId to, wire::HostTag tag, std::span<const std::byte> payload) override {
        require(payload.size() <= sizeof(wire::Chunk) + wire::kHostChunkBytesMax);
        loom_.send(to, host::make_host_frame(to, tag, payload));
    }
    void begin_anew(NodeId) override {}
    void came_back(NodeId, std::uint32_t resets) override { require(resets != 0); }
    void console_line(NodeId, std::string_view line) override { require_clean(line); }
    void error_line(NodeId, std::string_view line) override { require_clean(line); }
    void traced(NodeId, const wire::ProcessTrace& trace, std::span<const std::byte>) override {
        require(trace.event <= static_cast<std::uint8_t>(ProcessEvent::ended));
    }
    void stopped(NodeId, std::string_view why) override { require_clean(why); }

private:
    static void require_clean(std::string_view text) {
        require(std::none_of(text.begin(), text.end(), [](char character) {
            return (character >= 0 && character < ' ' && character != '\t') || character == 0x7F;
        }));
    }

    host::Loom loom_;
    std::array<host::NodeSession, kNodes> sessions_;
    std::array<host::FrameReader, kNodes> readers_;
    std::array<host::SendQueue, kNodes> queues_;
};

/// A well-formed message with any tag, and a payload that begins with small numbers.
fuzz::Bytes some_message(FuzzedDataProvider& input) {
    const auto tag = static_cast<wire::HostTag>(input.ConsumeIntegralInRange(0, 18));
    fuzz::Bytes payload;
    for (unsigned word = input.ConsumeIntegralInRange(0u, 6u); word > 0; --word) {
        const std::uint32_t value = input.ConsumeBool() ? input.ConsumeIntegralInRange(0u, 200u)
                                                        : input.ConsumeIntegral<std::uint32_t>();
        const auto bytes = wire::bytes_of(value);
        payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
    const fuzz::Bytes rest = fuzz::bytes_from(input, 300);
    payload.insert(payload.end(), rest.begin(), rest.end());
    return host::make_host_frame(node_at(0), tag, payload);
}

/// The frame as it stands in a stream; now and then its length is wrong.
fuzz::Bytes in_stream(FuzzedDataProvider& input, const fuzz::Bytes& frame) {
    const std::size_t length =
        frame.size() + (input.ConsumeIntegralInRange(0, 15) == 0
                            ? input.ConsumeIntegralInRange<std::size_t>(0, 70000)
                            : 0);
    fuzz::Bytes bytes;
    for (unsigned shift = 32; shift != 0; shift -= 8)
        bytes.push_back(static_cast<std::byte>(length >> (shift - 8)));
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    return bytes;
}

void take_turn(FuzzedDataProvider& input, Rig& rig) {
    const NodeId node = node_at(input.ConsumeIntegralInRange(0u, kNodes - 1));
    const int kind = input.ConsumeIntegralInRange(0, 3);
    if (kind == 0) {
        rig.complain(node, input.ConsumeRandomLengthString(40));
        return;
    }
    fuzz::Bytes bytes = kind == 1   ? fuzz::bytes_from(input, 100)
                        : kind == 2 ? in_stream(input, fuzz::next_frame(input))
                                    : in_stream(input, some_message(input));
    // In two parts: the cut may fall into the length, or into the frame.
    const std::size_t cut = input.ConsumeIntegralInRange<std::size_t>(0, bytes.size());
    rig.receive(node, std::span(bytes).first(cut));
    rig.receive(node, std::span(bytes).subspan(cut));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const World world;
    FuzzedDataProvider input(data, std::min(size, kInputBytesMax));
    Rig rig(world, input.ConsumeBool());
    try {
        while (input.remaining_bytes() > 0)
            take_turn(input, rig);
    } catch (const host::RunError&) { // cables in the wrong ports
    }
    rig.finish();
    return 0;
}
