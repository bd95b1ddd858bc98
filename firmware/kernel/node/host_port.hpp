// The node's line to the host tool: the job and its arguments, chunks of input, and all that the
// node reports. No other part of a node speaks to the host.
#pragma once

#include "hal/check.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/processes/arena.hpp"
#include "wire/counters.hpp"
#include "wire/host_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace mesh {

/// Sends one frame to the host and returns when it has left; `packet` may be empty.
struct ToHost {
    void (*send)(void* context, const wire::LinkHeader& header, std::span<const std::byte> packet);
    void* context;
    /// Of a board that counts its resets: its count goes on from `resets`, and it is reset.
    void (*count_on_from)(std::uint32_t resets) = nullptr;
};

/// The line of one node to the host, with the job that came by it. Not for interrupts.
class HostPort {
public:
    /// An order of the host for the node as a whole; all other packets of the host are handled
    /// here.
    enum class Order : std::uint8_t { none, job, start, report, ask_again, hang, no_carrier };

    /// Keeps one buffer of `pool` for what it sends, so that a full pool cannot hold back a report.
    HostPort(ToHost to_host, NodeId node, PacketPool& pool, Arena& arena, Counters& counters)
        : to_host_(to_host),
          node_(node),
          sending_(pool.allocate()),
          arena_(arena),
          counters_(counters) {}

    /// The host sent `payload` under `tag`.
    Order on_packet(wire::HostTag tag, std::span<const std::byte> payload);

    /// There is no host that says what the job is, nor that it begins.
    void stand_alone(const wire::Job& job) {
        job_.emplace(job);
        started_ = true;
    }

    /// Sends `first` and `second` to the host at once, as one payload; bytes beyond
    /// kPayloadBytesMax are cut off.
    void send(wire::HostTag tag, std::span<const std::byte> first,
              std::span<const std::byte> second);
    /// The same of one payload.
    [[gnu::noinline]] void send(wire::HostTag tag, std::span<const std::byte> payload) {
        send(tag, payload, {});
    }
    /// The same in as many packets as it takes: each says where its bytes belong.
    void send_in_parts(wire::HostTag tag, std::span<const std::byte> payload);
    /// Text for the console: kept until a line is whole, or something else is sent to the host.
    void print(std::span<const char> text);
    /// Sends the text for the console that is kept.
    void flush_print();
    /// Tells the loom that there is nothing left to do: see wire::Kind::idle.
    void send_idle(std::uint32_t frames_received, wire::ModelTime next_timer) {
        wire::LinkHeader header{.kind = wire::Kind::idle, .model_time = next_timer};
        wire::Idle{header}.consumed() = frames_received;
        send_frame(header, {});
    }

    /// The job of this run. Precondition: it has come.
    const wire::Job& job() const {
        MESH_CHECK(job_.has_value(), job_not_there);
        return *job_;
    }
    /// The job's words behind `--`; none before it has come. They live as long as the node.
    std::span<const std::string_view> arguments() const { return arguments_; }
    /// The job's; 0: it has not come.
    std::uint16_t rto_min_ms() const { return job_.has_value() ? job_->rto_min_ms : 0; }

    /// Asks for `out.size()` bytes of the input at `position`; see pulled().
    void pull(std::uint32_t position, std::span<std::byte> out);
    /// The bytes that pull() asked for are there.
    bool pulled() const { return pull_into_.empty(); }
    /// The end of a wait for it: says whether it is there. If it goes before that, there is no room
    /// for the chunk any more.
    class Chunk {
    public:
        /// The chunk that pull() was last asked for. `host` must outlive it.
        explicit Chunk(HostPort& host) : host_(&host) {}
        Chunk(Chunk&& other) noexcept : host_(std::exchange(other.host_, nullptr)) {}
        Chunk(const Chunk&) = delete;
        Chunk& operator=(const Chunk&) = delete;
        Chunk& operator=(Chunk&&) = delete;
        ~Chunk() {
            if (host_ != nullptr)
                host_->pull_into_ = {};
        }
        /// Ends the wait, once: true if the chunk is there.
        bool operator()() { return std::exchange(host_, nullptr)->pulled(); }

    private:
        HostPort* host_;
    };

private:
    bool on_job(std::span<const std::byte> payload);
    bool on_chunk(std::span<const std::byte> payload);
    void keep_arguments(std::span<const std::byte> words);
    std::span<std::byte> room() const {
        return std::span{sending_->bytes}.subspan(wire::kPacketHeaderBytes);
    }
    void send_room(wire::HostTag tag, std::size_t payload_bytes);
    void send_frame(wire::LinkHeader header, std::span<const std::byte> packet);

    bool started_ = false;
    std::uint16_t printed_ = 0; // bytes of text in sending_ that wait for the end of their line
    ToHost to_host_;
    NodeId node_;
    PacketBuffer* sending_;
    Arena& arena_;
    Counters& counters_;
    std::span<std::byte> pull_into_;
    std::uint32_t pull_position_ = 0;
    std::span<std::string_view> arguments_; // and their text, in the arena
    std::optional<wire::Job> job_;
};

} // namespace mesh
