// The nodes of a simulation, their lives, and the memory of all of them.
#pragma once

#include "fault_words.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/cables/order.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/programs/loaded_program.hpp"
#include "node_waits.hpp"
#include "program_notes.hpp"
#include "simulated_memory.hpp"

#include "boards/host/board.hpp"
#include "boards/host/program_memory.hpp"
#include "kernel/node/node.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace mesh::host {

/// Sizes of one node's memory.
struct Sizes {
    std::size_t buffers;
    std::size_t ports;

    static constexpr std::size_t kArenaBytes = 26 << 10;
};

/// Tells the loom the trace events of a node's processes, gives them their globals, and asks the
/// order of the run whether a process has its turn, and whether it goes on. `order` is one of
/// packets; for one by turns there is `turns` in its place.
class LifeWatch final : public ProcessWatch {
public:
    LifeWatch(Loom& loom, Order* order, Turns* turns, const ProgramNotes& notes,
              LoadedProgram& program, NodeId node, Kernel& kernel)
        : loom_(loom),
          order_(order),
          turns_(turns),
          notes_(notes),
          program_(program),
          node_(node),
          kernel_(kernel) {}

    void happened(ProcessEvent event, std::uint8_t slot) override {
        static_assert(static_cast<int>(TraceEvent::What::ended) ==
                      static_cast<int>(ProcessEvent::ended));
        if (event == ProcessEvent::spawned)
            of_library_[slot] = !kernel_.scheduler().slots()[slot].will_be_joined;
        if (!loom_.wants_trace_events())
            return;
        std::string text;
        if (event == ProcessEvent::blocked) {
            SimulatedMemory memory(kernel_);
            text = describe(wait_in(memory, slot));
        }
        loom_.tell(node_, {static_cast<TraceEvent::What>(event), slot, text},
                   kernel_.scheduler().slots()[slot].clock);
    }

    bool puts_off(std::uint8_t slot) override {
        program_.enter(node_);
        const auto slots = kernel_.scheduler().slots();
        const auto lives = [](const ProcessSlot& other) { return static_cast<bool>(other.root); };
        return order_ != nullptr && slots[slot].root &&
               std::ranges::any_of(slots.subspan(slot + 1u), lives) &&
               order_->puts_off({Choice::What::process, node_, node_});
    }

    bool holds(std::uint8_t slot) override {
        return turns_ != nullptr && !of_library_[slot] && !is_past_its_end() &&
               turns_->holds({node_, slot});
    }

private:
    /// A program over MPI does nothing more that another one could see in another order.
    bool is_past_its_end() const { return notes_.last_call(node_).name == "MPI_Finalize"; }

    Loom& loom_;
    Order* order_;
    Turns* turns_;
    const ProgramNotes& notes_;
    LoadedProgram& program_;
    NodeId node_;
    Kernel& kernel_;
    std::bitset<limits::kProcessesMax> of_library_; // by slot: it was spawned alone
};

/// One life of a node.
struct Life {
    Life(const wire::Identity& identity, board::HostBoard::Outlet outlet, std::size_t window_bytes,
         const Memory& memory, Program program)
        : board(identity, std::move(outlet), window_bytes),
          node(board, memory, program) {}
    board::HostBoard board;
    Node<board::HostBoard> node;
    std::optional<LifeWatch> watch;
};

struct SimNode {
    explicit SimNode(LoadedProgram& its_program) : program(its_program) {}
    LoadedProgram& program;
    std::optional<Life> life;
    bool queued = false;
    bool gone = false;
    bool host_speaks = false; // a frame of the host has come, and may go to a global
    std::uint32_t resets = 0; // by its program, since the last of the fault plan
};

constexpr std::size_t whole(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// All nodes and their memory, in one region that the system only backs where it is touched. A node
/// touches little of it, so that is laid out for few pages: what has its size stands in one row,
/// what is used from its beginning on (packets) is one row of all first ones, one of all second
/// ones and so on, and the kernel uses an arena at both ends, so each ends where the next one
/// begins. Where nodes run programs of a user, each has a guard behind its arena and its workspace,
/// unless the system would have to remember too many of them.
class Nodes {
public:
    Nodes(const Sizes& sizes, std::uint32_t count, bool loads_programs)
        : sizes_(sizes),
          count_(count),
          guard_bytes_(loads_programs && count <= kGuardedMax ? kGuardBytes : 0) {
        base_ = static_cast<std::byte*>(mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (base_ == MAP_FAILED)
            throw RunError(fmt::format("cannot map {} MB for the nodes", bytes() >> 20));
        // The memory that all nodes use; only the speed of a large mesh depends on huge pages.
        static_cast<void>(madvise(base_, slots(), MADV_HUGEPAGE));
        static_cast<void>(madvise(base_ + slots(), kFullRows * slot_row(), MADV_HUGEPAGE));
        static_cast<void>(madvise(base_ + pools(), kFullRows * pool_row(), MADV_HUGEPAGE));
        for (std::uint32_t number = 0; guard_bytes_ != 0 && number < count_; ++number) {
            board::guard({base_ + arena(number) + Sizes::kArenaBytes, guard_bytes_},
                         ProgramEnd::beyond_arena);
            board::guard({base_ + workspace(number) + limits::kWorkspaceBytes, guard_bytes_},
                         ProgramEnd::beyond_arena);
        }
    }
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    ~Nodes() {
        for (std::uint32_t number = 0; number < made_; ++number)
            std::destroy_at(&(*this)[number]);
        munmap(base_, bytes());
    }

    std::uint32_t size() const { return count_; }
    SimNode& operator[](std::uint32_t number) { return *at<SimNode>(home(number)); }
    /// The next one, with its links.
    void make(LoadedProgram& program) {
        new (at<SimNode>(home(made_))) SimNode(program);
        for (Link& link : memory(made_++).links)
            new (&link) Link;
    }
    Memory memory(std::uint32_t number) const {
        const std::size_t links = home(number) + sizeof(SimNode);
        const std::size_t processes = links + sizes_.ports * sizeof(Link);
        const std::span buffers{at<PacketBuffer>(pools()), sizes_.buffers << interleaving().log2};
        const std::span slots{at<PortSlot>(this->slots()), buffers.size() * sizes_.ports};
        return {.buffers = buffers.subspan(number),
                .slots = slots.subspan(number * sizes_.ports),
                .links = {at<Link>(links), sizes_.ports},
                .processes = {at<ProcessSlot>(processes), limits::kProcessesMax},
                .peers = {at<Peer>(peers() + number * std::size_t{count_} * sizeof(Peer)), count_},
                .arena = {at<std::byte>(arena(number)), Sizes::kArenaBytes},
                .workspace = {at<std::byte>(workspace(number)), limits::kWorkspaceBytes},
                .interleaving = interleaving()};
    }
    /// The node is about to work: asks for the memory that it will look at.
    void fetch(std::uint32_t number) const {
        const std::size_t first = home(number);
        const std::size_t end = first + sizeof(SimNode) + sizes_.ports * sizeof(Link);
        for (std::size_t line = first; line < end; line += kLineBytes)
            __builtin_prefetch(base_ + line);
    }

private:
    static constexpr std::size_t kLineBytes = 64;
    static constexpr std::size_t kPageBytes = 4096;
    static constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
    static constexpr std::size_t kGuardBytes = std::size_t{64} << 10;
    /// The number that the system has mappings for, beside those of programs.
    static constexpr std::uint32_t kGuardedMax = 4096;
    static_assert(limits::kWorkspaceBytes % kPageBytes == 0);
    /// Buffers that most nodes come to use.
    static constexpr std::size_t kFullRows = 3;
    static_assert(alignof(SimNode) >= alignof(ProcessSlot) && alignof(SimNode) <= kPageBytes &&
                  alignof(ProcessSlot) == alignof(Link) && alignof(Link) == alignof(PortSlot) &&
                  alignof(PacketBuffer) <= kPageBytes);

    template <class T>
    T* at(std::size_t place) const {
        return reinterpret_cast<T*>(base_ + place);
    }
    Interleaving interleaving() const {
        return {static_cast<unsigned>(std::bit_width(count_ - 1))};
    }
    std::size_t home(std::uint32_t number) const {
        return number * whole(sizeof(SimNode) + sizes_.ports * sizeof(Link) +
                                  limits::kProcessesMax * sizeof(ProcessSlot),
                              kLineBytes);
    }
    std::size_t slot_row() const {
        return (sizes_.ports * sizeof(PortSlot)) << interleaving().log2;
    }
    std::size_t pool_row() const { return sizeof(PacketBuffer) << interleaving().log2; }
    std::size_t slots() const { return whole(home(count_), kHugePageBytes); }
    std::size_t pools() const {
        return whole(slots() + sizes_.buffers * slot_row(), kHugePageBytes);
    }
    std::size_t arenas() const {
        return whole(pools() + sizes_.buffers * pool_row(), kHugePageBytes);
    }
    /// With a guard it ends at that, so that not one byte lies between them.
    std::size_t arena(std::size_t number) const {
        if (guard_bytes_ == 0)
            return arenas() + number * Sizes::kArenaBytes;
        const std::size_t room = whole(Sizes::kArenaBytes, kGuardBytes);
        return arenas() + number * (room + guard_bytes_) + room - Sizes::kArenaBytes;
    }
    std::size_t workspaces() const { return whole(arena(count_), kHugePageBytes); }
    std::size_t workspace(std::size_t number) const {
        return workspaces() + number * (limits::kWorkspaceBytes + guard_bytes_);
    }
    /// A place for every node at every node: most of them are never touched.
    std::size_t peers() const { return workspace(count_); }
    std::size_t bytes() const { return peers() + std::size_t{count_} * count_ * sizeof(Peer); }

    Sizes sizes_;
    std::uint32_t count_;
    std::size_t guard_bytes_; // 0: nodes have none
    std::uint32_t made_ = 0;
    std::byte* base_;
};

} // namespace mesh::host
