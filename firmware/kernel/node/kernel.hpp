// The interface of a node for its processes: address and network, processes and time, packets, the
// host. A value without global state.
//
// From an interrupt wake() may be called, and nothing else.
//
// A process may compute for as long as it likes: on boards that can (hal::HasPreemption) the links
// work between its instructions, in a run that is not lockstep. They take frames, pass them on, and
// put packets for this node into its mailbox. No other process of the node runs, and answers about
// messages that the node sends are heard when a process waits. The calls below that touch data of
// the links are critical sections (kernel/base/critical_section.hpp); the others only read single
// words.
#pragma once

#include "core/base/order.hpp"
#include "hal/check.hpp"
#include "hal/interrupts.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/base/status.hpp"
#include "kernel/links/links.hpp"
#include "kernel/node/host_port.hpp"
#include "kernel/node/memory.hpp"
#include "kernel/packets/forwarder.hpp"
#include "kernel/packets/messages.hpp"
#include "kernel/processes/scheduler.hpp"
#include "kernel/processes/task.hpp"
#include "wire/counters.hpp"
#include "wire/host_messages.hpp"
#include "wire/identity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mesh {

class Kernel;
class Packet;
class OutgoingPacket;

/// The program of a node: the one process that the kernel starts itself. One per image.
using Program = Process (*)(Kernel& kernel);

/// Where the bytes of a message come from: `fill(context, position, out)` writes them.
struct ByteSource {
    void (*fill)(const void* context, std::uint32_t position, std::span<std::byte> out) = nullptr;
    const void* context = nullptr;
};
/// Bytes in memory, which must stay where they are.
ByteSource bytes_in(std::span<const std::byte> data);

/// The parts of a node, in the order of the floors that a frame goes through (ARCHITECTURE.md).
class NodeParts {
public:
    NodeParts(const NodeParts&) = delete;
    NodeParts& operator=(const NodeParts&) = delete;

protected:
    NodeParts(const wire::Identity& identity, const Memory& memory, const Cables& cables,
              ToHost to_host);
    ~NodeParts() = default;

    // Small members first: short instructions reach them there.
    Here here_;
    std::span<std::byte> workspace_;
    Scheduler scheduler_;
    Links links_;
    Admission admission_;
    Forwarder forwarder_;
    Messages messages_;
    HostPort host_;
    Arena arena_;
    wire::Result result_{};
};

/// The functions that programs call. NodeCore runs the parts.
class Kernel : protected NodeParts {
public:
    class Allocation;
    class Arrival;
    class Posting;

    // Address and network -------------------------------------------------------------------------

    NodeId id() const { return here_.node(); } ///< The address of this node.
    /// How often this node was started before, modulo 64 (wire::Identity).
    unsigned starts() const { return here_.identity.start; }
    std::uint16_t life() const { return here_.identity.life(); } ///< Its life: wire::Identity.
    Network network() const { return here_.network(); }          ///< Topology and dimension.
    std::uint32_t nodes() const { return rules().node_count(network()); } ///< Of the network.
    unsigned ports() const { return links_.count(); } ///< Ports, plugged in or not.
    /// The node at the other end of the cable at `port`, 0 to ports() - 1 (checked).
    NodeId neighbor(Port port) const;
    const NetworkRules& rules() const { return here_.rules; } ///< The image's, for this network.
    /// The ports whose links are dead: what was under way is lost. LinkEvents tells of changes.
    PortSet dead_ports() const { return links_.dead_ports(); }
    const wire::Job& job() const { return host_.job(); } ///< The host's order for this run.
    /// Words after `--` on the host tool's command line.
    std::span<const std::string_view> arguments() const { return host_.arguments(); }
    std::span<std::byte> workspace() { return workspace_; } ///< Memory lent to the program.
    /// A T made of `args` that lives as long as the node, in the arena; nullptr: that is full.
    template <class T, class... Args>
    T* make(Args&&... args) {
        void* const place = arena_.allocate(sizeof(T));
        return place == nullptr ? nullptr : new (place) T{std::forward<Args>(args)...};
    }

    // Processes -----------------------------------------------------------------------------------

    /// Starts `process` beside the caller. False if there is no room for one more.
    ///   auto child = node.spawn(work(node));                   if (!node.spawn(work(node)))
    ///   if (!child)                                                co_return Status::no_memory;
    ///       co_return Status::no_memory;
    ///   const Status verdict = co_await node.join(child);
    /// On the left the process may be joined. On the right, and where `child` goes before that,
    /// nobody joins it: if such a process fails, the program has failed.
    [[nodiscard]] MESH_CHECKED_INLINE Spawned spawn(Process process) {
        check_frame(process);
        return {scheduler_, std::move(process)};
    }
    /// The same for a process that is to be joined by `id`, which may go anywhere.
    [[nodiscard]] MESH_CHECKED_INLINE bool spawn(Process process, ProcessId& id) {
        check_frame(process);
        return scheduler_.spawn(std::move(process), &id);
    }

    /// `co_await wait_until(f)`: continues when f() holds; f is asked after every event and at
    /// `wake` (see deadline_in()) at the latest.
    template <class Ready>
    auto wait_until(Ready ready, std::uint64_t wake = wire::kNever);
    /// `co_await yield()`: lets the other processes run, and the links work. For use between long
    /// computations (on a board that cannot interrupt a process for the links, a neighbour would
    /// take this node for dead), or in a loop that looks for something to come. In lockstep the
    /// process goes on when nothing else in the mesh can move. Costs no model time.
    auto yield();
    auto sleep(wire::ModelTime ticks); ///< Waits for `ticks` of model time.
    /// Waits for a spawned process to end; gives its verdict. A verdict that nobody joins and that
    /// is not ok becomes the program's. Joining a process twice, or none, is a bug (CHECK).
    auto join(ProcessId id);
    /// The same; for no process, and for one that has been joined: ok, at once.
    auto end_of(ProcessId id);
    /// From its next wait on the running process is of this priority; the program begins low, other
    /// processes with the priority of the one that spawned them. Between any two waits high ones
    /// that can run go before low ones, for as long as it takes: they are for short work.
    void set_priority(Priority priority) {
        scheduler_.set_priority(scheduler_.current(), priority);
    }
    /// The same of a process that was spawned and is not joined yet.
    void set_priority(ProcessId id, Priority priority) {
        if (scheduler_.will_be_joined(id))
            scheduler_.set_priority(id.slot, priority);
    }

    /// The running process's model clock: the latest time at which a thing that it took was there.
    wire::ModelTime now() { return scheduler_.clock(); }
    /// Moves it on to `time`, never back.
    void advance_clock(wire::ModelTime time) {
        scheduler_.clock() = greatest(scheduler_.clock(), time);
    }
    /// For wait_until(): the kernel's time when `ticks` of model time from now have passed.
    std::uint64_t deadline_in(wire::ModelTime ticks) const;
    bool due(std::uint64_t deadline) const; ///< True if that time has come.
    /// For wait_until(): when a process that gives way goes on, see yield().
    std::uint64_t next_turn() const;
    bool lockstep() const { return time().lockstep(); } ///< False: it runs free.

    /// Model time that an external packet of `bytes` takes on a link.
    wire::ModelTime link_time(std::uint32_t bytes) const { return links_.clock().duration(bytes); }

    // Interrupts of the program's own (boards/README.md) ------------------------------------------

    /// From now on `interrupt` of the chip calls `handler`; nullptr: it is off. A bug (CHECK) if
    /// the chip has no such interrupt, if the board uses it itself, and in lockstep, thus in every
    /// simulation: model time alone says there what comes next. See hal/interrupts.hpp.
    void on_interrupt(unsigned interrupt, hal::Handler handler,
                      hal::Urgency urgency = hal::Urgency::below_cables);
    /// A handler has changed something: the conditions of all waiting processes are asked again.
    void wake();

    // Packets -------------------------------------------------------------------------------------

    /// `OutgoingPacket p = co_await allocate(rule)`: an empty packet, when the pool can start one.
    /// It is to be injected before anything else is awaited: a packet that a process keeps has a
    /// place on which forwarding counts, and packets of others may wait for it for ever.
    Allocation allocate(Rule rule);
    /// False if the image has no such rule, or the pool no room for it: allocate() would never end.
    bool can_carry(Rule rule, Service service = Service::packet) const {
        return admission_.can_carry(rule, service);
    }
    /// Sends `packet` by its header's rule; it leaves at now() at the earliest.
    void inject(OutgoingPacket&& packet);
    /// `co_await post(header, source, position)`: sends payload_bytes from `position` in `source`
    /// as `header` says (from this node if it names no source), when the pool can start a packet.
    Posting post(const wire::PacketHeader& header, ByteSource source = {},
                 std::uint32_t position = 0);
    /// Sends it now, at model time `ready` at the earliest. False: the pool cannot start it.
    bool try_post(const wire::PacketHeader& header, ByteSource source, std::uint32_t position,
                  wire::ModelTime ready);
    /// `Packet p = co_await receive(match)`: the next packet that matches; sets the clock.
    Arrival receive(const Match& match);
    /// The next packet that matches, which must be there (see has()); sets the clock.
    Packet take(const Match& match);
    /// The same for a control packet: does not set the clock.
    Packet take_control(const Match& match);
    /// True if receive(match) would not wait. The offer of a message may be gone when the process
    /// has waited for something else: a full mailbox keeps it for a moment only.
    bool has(const Match& match) const { return forwarder_.find(match) != nullptr; }
    const Mailbox& mailbox() const { return forwarder_.mailbox(); } ///< What waits for processes.
    void release(PacketBuffer* buffer); ///< Gives a Packet's reference back.

    // Messages under way (kernel/api/message.hpp) -------------------------------------------------

    /// When a sender that hears nothing asks for its receiver, after `asked` questions.
    std::uint64_t ask_time(unsigned asked) const;
    Messages& messages() { return messages_; } ///< Messages that leave, and waits for nodes.
    /// Sends the questions about `outgoing` that are due, as far as the pool allows. A Waiting
    /// calls it whenever its own function `ask` is called. False: nobody answers by any way that
    /// `outgoing` may take, or an answer says that nobody knows of it.
    bool ask(Outgoing& outgoing);
    Peer& peer(NodeId node) const { return forwarder_.peer(node); } ///< The record of `node`.
    /// True if the first link on the way of `rule` (`path`: of Rule::disjoint) to `to` is dead.
    bool cut_off(NodeId to, Rule rule = Rule::unicast, unsigned path = 0) const {
        return forwarder_.cut_off(to, rule, path);
    }
    unsigned path_count() const { return here_.path_count(); } ///< Disjoint paths to any node.
    void begin(Incoming& incoming);           ///< A process takes the message of this offer.
    void end(Incoming& incoming, bool taken); ///< It has `taken` all of it, or leaves it.
    /// When this packet of a message is given back, its sender hears that it was consumed now.
    void acknowledge_at_end(PacketBuffer* buffer);

    // Host ----------------------------------------------------------------------------------------

    /// Sends both to the host as one payload (HostPort::send()); returns when it has left.
    void host_send(wire::HostTag tag, std::span<const std::byte> first,
                   std::span<const std::byte> second = {});
    /// Text for the console of this node, as hal/console.hpp says.
    void print(std::span<const char> text);
    void flush_print(); ///< Sends what print() keeps until its line ends.
    /// `co_await pull(position, out)`: fills `out` (at most kHostChunkBytesMax) from the input.
    /// False if the chunk, or the request, seems to be lost: to be called again.
    auto pull(std::uint32_t position, std::span<std::byte> out);

    Counters& counters() { return links_.context().counters; } ///< The report's counts.
    wire::Result& result() { return result_; } ///< The program's part of the report.

    // For code that is built on the kernel --------------------------------------------------------

    const PacketPool& pool() const { return links_.context().pool; } ///< The node's buffers.
    const Links& links() const { return links_; }                    ///< The links of all ports.
    Scheduler& scheduler() { return scheduler_; }                    ///< The processes.
    Calls& calls() { return forwarder_.calls(); } ///< Of collectives: collectives/call.hpp.
    const Calls& calls() const { return forwarder_.calls(); } ///< The same.
    /// The next call of a tag begins, or the call that is under way has ended: packets and offers
    /// in the mailbox that are of calls that are over are dropped.
    void begin_call(CallRecord& record);
    void end_call(CallRecord& record); ///< See begin_call().
    Arena& arena() { return arena_; }  ///< Memory of coroutine frames.
    /// Starts a process that nobody joins, as spawn() does.
    [[nodiscard]] bool spawn_alone(Process process) {
        return scheduler_.spawn(std::move(process), nullptr);
    }

protected:
    using NodeParts::NodeParts;
    ~Kernel() = default;
    void hear(PacketBuffer* come);
    void drop_old_calls();

private:
    MESH_CHECKED_INLINE void check_frame(const Process& process) const {
        process.check_spawned(arena_.refused());
    }

    const Timebase& time() const { return links_.context().time; }
    bool may_start(const wire::PacketHeader& header);
    bool send_questions(Outgoing& outgoing);
    bool gone() const;
    Service answer_to(PacketBuffer& asked);
    void give_up(const Outgoing& outgoing);
    PacketBuffer* start_packet();
    PacketBuffer* try_start(const wire::PacketHeader& header);
    OutgoingPacket new_packet(Rule rule);
    void inject(PacketBuffer* buffer, wire::ModelTime ready);
    std::uint64_t start_pull(std::uint32_t position, std::span<std::byte> out);
};

/// A packet that has come; owns a reference to its buffer until it is destroyed, before the kernel
/// is. It is read only, since ports may still be sending it on.
class Packet {
public:
    Packet() = default;
    /// Takes over a reference to `buffer`; nullptr: an empty Packet, which is unreachable.
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

    explicit operator bool() const { return buffer_ != nullptr; } ///< False: it is empty.
    /// ok; for an empty Packet of a Task: unreachable, or no_memory if that could not run.
    Status status() const {
        if (buffer_ != nullptr)
            return Status::ok;
        return kernel_ != nullptr ? Status::unreachable : Status::no_memory;
    }
    const wire::PacketHeader& header() const { return buffer_->header; } ///< Not of an empty one.
    /// Messages only: when this object is destroyed, `taken` is sent to the sender.
    void acknowledge_at_end() { kernel_->acknowledge_at_end(buffer_); }
    /// Valid as long as this object; not of an empty one.
    std::span<const std::byte> payload() const { return buffer_->payload(); }
    wire::ModelTime ready() const { return buffer_->ready; } ///< Model time: all of it was here.
    /// Links that the packet has crossed on its way here.
    unsigned links_crossed() const { return buffer_->hops; }
    /// The port by which the packet has come; kNoPort if it has crossed no link.
    Port arrival() const { return buffer_->hops != 0 ? buffer_->arrival : kNoPort; }

protected:
    Kernel* kernel_ = nullptr;
    PacketBuffer* buffer_ = nullptr;
};

/// A packet that is about to be sent, see Kernel::allocate() and inject().
class OutgoingPacket : public Packet {
public:
    using Packet::Packet;

    wire::PacketHeader& header() { return buffer_->header; }      ///< To be filled.
    std::span<std::byte> payload() { return buffer_->payload(); } ///< To be filled, see resize().
    /// Sets the payload's size (at most kPayloadBytesMax) and gives it to be filled.
    std::span<std::byte> resize(std::size_t bytes) {
        buffer_->header.payload_bytes = static_cast<std::uint16_t>(bytes);
        return buffer_->payload();
    }

private:
    friend class Kernel;
    PacketBuffer* take() {
        buffer_->mark.pass(PacketOwner::process, PacketOwner::code);
        return std::exchange(buffer_, nullptr);
    }
};

} // namespace mesh

#include "kernel/node/kernel_waits.hpp" // which needs the whole Kernel
