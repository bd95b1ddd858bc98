// What the processes of a node see of it: who and where they are, processes and time, packets, the
// host. A value without global state.
//
// The parts that do the work are members here, in the order of the floors that a frame goes through
// (ARCHITECTURE.md); kernel/boardless_node.hpp turns them. Everything runs in one thread; nothing
// may be called from an interrupt.
#pragma once

#include "kernel/forwarder.hpp"
#include "kernel/host_port.hpp"
#include "kernel/links.hpp"
#include "kernel/messages.hpp"
#include "kernel/packet_pool.hpp"
#include "kernel/scheduler.hpp"
#include "kernel/status.hpp"
#include "kernel/task.hpp"
#include "wire/counters.hpp"
#include "wire/host_messages.hpp"
#include "wire/identity.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <utility>

namespace mesh {

class Kernel;
class Packet;

/// The program of a node: the one process that the kernel starts itself. One per image.
using Program = Process (*)(Kernel& kernel);

/// Memory of a node; the caller's, for as long as the node lives.
struct Memory {
    std::span<PacketBuffer> buffers; // more than the longest path of any rule in use has links
    std::span<PortSlot> slots;       // buffers.size() * links.size()
    std::span<Link> links;           // one per port
    std::span<std::byte> arena;      // frames of processes, 8-byte aligned
    std::span<std::byte> workspace;  // for the program: messages, data
};

class Kernel {
public:
    /// `window_bytes`: of frames that each neighbour may have in flight towards this node.
    Kernel(const wire::Identity& identity, const Memory& memory, std::size_t window_bytes,
           ToHost to_host);
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    // Who and where -------------------------------------------------------------------------------

    NodeId id() const { return here_.node(); }
    Network network() const { return here_.network(); }
    std::uint32_t nodes() const { return rules().node_count(network()); }
    unsigned ports() const { return links_.count(); }
    /// The node at the other end of the cable at `port`, which must be one of the network.
    NodeId neighbor(Port port) const { return here_.neighbor(port); }
    /// What the image knows of this network.
    const NetworkRules& rules() const { return here_.rules; }
    /// The link at `port` is dead. It comes back if its peer answers again; what was under way then
    /// is lost all the same.
    bool link_dead(Port port) const { return links_.at(port).dead(); }
    const wire::Job& job() const { return host_.job(); }
    /// Words after `--` on the host tool's command line.
    std::span<const std::string_view> arguments() const { return host_.arguments(); }
    std::span<std::byte> workspace() { return workspace_; }
    /// A T that lives as long as the node, in the arena; nullptr if that is full.
    template <class T>
    T* make() {
        void* const place = arena_.allocate(sizeof(T));
        return place == nullptr ? nullptr : new (place) T{};
    }

    // Processes -----------------------------------------------------------------------------------

    /// Starts `process` beside the caller, to be joined. False if there is no room for one more.
    [[nodiscard]] bool spawn(Process process, ProcessId& id) {
        return scheduler_.spawn(std::move(process), scheduler_.clock(), &id);
    }
    /// The same for a process that nobody joins. If it fails, so has the program.
    [[nodiscard]] bool spawn(Process process) {
        return scheduler_.spawn(std::move(process), scheduler_.clock(), nullptr);
    }

    /// `co_await wait_until(f)`: continues when f() holds; f is asked after every event and at
    /// `wake` (see deadline_in()) at the latest.
    template <class Ready>
    auto wait_until(Ready ready, std::uint64_t wake = wire::kNever);
    /// Lets the other processes run, and the links work: `co_await yield()` between long
    /// computations, so that no neighbour takes this node for dead. Costs no model time.
    auto yield();
    /// Sleeps for `ticks` of model time.
    auto sleep(wire::ModelTime ticks);
    /// Waits for a spawned process to end; gives its verdict. A verdict that nobody joins and that
    /// is not ok becomes the program's.
    auto join(ProcessId id);

    /// The running process's model clock: when what it last took was there.
    wire::ModelTime now() { return scheduler_.clock(); }
    void advance_clock(wire::ModelTime time) {
        scheduler_.clock() = std::max(scheduler_.clock(), time);
    }
    /// For wait_until(): the kernel's time when `ticks` of model time from now have passed.
    std::uint64_t deadline_in(wire::ModelTime ticks) const { return time_.after(ticks); }
    bool due(std::uint64_t deadline) const { return time_.now() >= deadline; }
    bool lockstep() const { return time_.lockstep(); }

    /// Model time that an external packet of `bytes` takes on a link.
    wire::ModelTime link_time(std::uint32_t bytes) const { return links_.clock().duration(bytes); }

    // Packets -------------------------------------------------------------------------------------

    /// `Packet p = co_await allocate(rule)`: an empty packet, when the pool can start one.
    auto allocate(Rule rule);
    /// False if the pool is too small for this rule's paths (allocate() would wait for ever) or the
    /// image does not have the rule.
    bool can_carry(Rule rule) const { return admission_.can_carry(rule); }
    /// Sends `packet` by its header's rule; it leaves at now() at the earliest.
    void inject(Packet&& packet);
    /// `Packet p = co_await receive(match)`: the next packet that matches; sets the clock.
    auto receive(Match match);
    /// The next packet that matches, which must be there (see has()); sets the clock.
    Packet take(const Match& match);
    /// True if receive(match) would not wait.
    bool has(const Match& match) const { return forwarder_.mailbox().find(match) != nullptr; }
    void release(PacketBuffer* buffer) {
        pool_.release(buffer);
        scheduler_.touch();
    }

    // Messages under way (kernel/message.hpp) -----------------------------------------------------

    /// When a sender that hears nothing asks for its receiver, after it has `asked` as often.
    std::uint64_t ask_time(unsigned asked) const {
        return time_.ask_receiver_at(asked, links_.patience_min());
    }
    void add(Outgoing& outgoing) { messages_.add(outgoing); }
    void remove(Outgoing& outgoing) { messages_.remove(outgoing); }

    // Host ----------------------------------------------------------------------------------------

    void host_send(wire::HostTag tag, std::span<const std::byte> first,
                   std::span<const std::byte> second = {}) {
        host_.send(tag, first, second);
    }
    /// `co_await pull(position, out)`: fills `out` (at most kHostPieceBytesMax) from the input.
    /// False if the piece, or the request, seems to be lost: to be called again.
    auto pull(std::uint32_t position, std::span<std::byte> out);

    Counters& counters() { return counters_; }
    /// The program's part of the report.
    wire::Result& result() { return result_; }

    // For what is built on the kernel -------------------------------------------------------------

    const PacketPool& pool() const { return pool_; }
    Scheduler& scheduler() { return scheduler_; }
    Arena& arena() { return arena_; }

private:
    friend class BoardlessNode;

    Packet new_packet(Rule rule);
    void hear(const std::optional<News>& news) {
        if (news)
            hear(*news);
    }
    void hear(const News& news);

    Here here_;
    std::span<std::byte> workspace_;
    Counters counters_;
    Timebase time_;
    PacketPool pool_;
    Arena arena_;
    Admission admission_;
    Links links_;
    Forwarder forwarder_;
    Messages messages_;
    Scheduler scheduler_;
    HostPort host_;
    wire::Result result_{};
};

/// A packet in the pool, owned: no-copy view of what arrived, or what is about to be sent.
/// Releases its buffer when it goes; must not outlive the kernel.
class Packet {
public:
    Packet() = default;
    Packet(Kernel& kernel, PacketBuffer* buffer) : kernel_(&kernel), buffer_(buffer) {}
    Packet(Packet&& other) noexcept
        : kernel_(other.kernel_),
          buffer_(std::exchange(other.buffer_, nullptr)) {}
    Packet& operator=(Packet&& other) noexcept {
        std::swap(kernel_, other.kernel_);
        std::swap(buffer_, other.buffer_);
        return *this;
    }
    Packet(const Packet&) = delete;
    Packet& operator=(const Packet&) = delete;
    ~Packet() {
        if (buffer_ != nullptr)
            kernel_->release(buffer_);
    }

    explicit operator bool() const { return buffer_ != nullptr; }
    wire::PacketHeader& header() { return buffer_->header; }
    const wire::PacketHeader& header() const { return buffer_->header; }
    std::span<std::byte> payload() { return buffer_->payload(); }
    /// Sets the payload's size (at most kPayloadBytesMax) and gives it to be filled.
    std::span<std::byte> resize(std::size_t bytes) {
        buffer_->header.payload_bytes = static_cast<std::uint16_t>(bytes);
        return buffer_->payload();
    }
    wire::ModelTime ready() const { return buffer_->ready; }
    PacketBuffer* take() { return std::exchange(buffer_, nullptr); }

private:
    Kernel* kernel_ = nullptr;
    PacketBuffer* buffer_ = nullptr;
};

// Awaiters ----------------------------------------------------------------------------------------

namespace detail {

/// Waits for ready(), then gives result().
template <class Ready, class Result>
class Awaiter {
public:
    Awaiter(Scheduler& scheduler, Ready ready, Result result, std::uint64_t wake)
        : scheduler_(scheduler),
          ready_(ready),
          result_(result),
          wake_(wake) {}
    bool await_ready() { return ready_(); }
    void await_suspend(std::coroutine_handle<> caller) {
        scheduler_.block(
            caller, [](void* self) { return static_cast<Awaiter*>(self)->ready_(); }, this, wake_);
    }
    auto await_resume() { return result_(); }

private:
    Scheduler& scheduler_;
    Ready ready_;
    Result result_;
    std::uint64_t wake_;
};

/// Awaiter for code outside the kernel (channels, alternatives).
template <class Ready, class Result>
auto wait(Kernel& kernel, Ready ready, Result result, std::uint64_t wake = wire::kNever);

} // namespace detail

template <class Ready>
auto Kernel::wait_until(Ready ready, std::uint64_t wake) {
    return detail::Awaiter{scheduler_, ready, [] {}, wake};
}

template <class Ready, class Result>
auto detail::wait(Kernel& kernel, Ready ready, Result result, std::uint64_t wake) {
    return Awaiter{kernel.scheduler(), ready, result, wake};
}

inline auto Kernel::yield() {
    const std::uint64_t moment = lockstep() ? 0 : deadline_in(limits::kTicksPerUs);
    bool asked = false;
    return wait_until(
        [this, moment, asked]() mutable { return std::exchange(asked, true) && due(moment); },
        moment);
}

inline auto Kernel::sleep(wire::ModelTime ticks) {
    const std::uint64_t deadline = deadline_in(ticks);
    const wire::ModelTime clock = now() + ticks;
    return detail::Awaiter{scheduler_, [this, deadline] { return due(deadline); },
                           [this, clock] { advance_clock(clock); }, deadline};
}

inline auto Kernel::join(ProcessId id) {
    return detail::Awaiter{scheduler_, [this, id] { return scheduler_.ended(id); },
                           [this, id] {
                               advance_clock(scheduler_.clock(id));
                               return scheduler_.join(id);
                           },
                           wire::kNever};
}

inline auto Kernel::allocate(Rule rule) {
    return detail::Awaiter{scheduler_, [this, rule] { return admission_.may_start(rule); },
                           [this, rule] { return new_packet(rule); }, wire::kNever};
}

inline auto Kernel::receive(Match match) {
    return detail::Awaiter{scheduler_, [this, match] { return has(match); },
                           [this, match] { return take(match); }, wire::kNever};
}

inline auto Kernel::pull(std::uint32_t position, std::span<std::byte> out) {
    host_.pull(position, out);
    const std::uint64_t again = time_.pull_again_at();
    return detail::Awaiter{scheduler_, [this, again] { return host_.pulled() || due(again); },
                           [this] { return host_.pulled(); }, again};
}

} // namespace mesh
