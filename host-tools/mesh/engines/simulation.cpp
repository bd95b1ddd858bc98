// The sim engine: every node is an object of this process, running the very kernel of the firmware
// over boards/host. The programs of ops are part of this one, others are loaded. The loom's
// lockstep is its event queue.
#include "simulation.hpp"
#include "engine.hpp"
#include "fault_words.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/programs/image_symbols.hpp"
#include "host-tools/mesh/programs/loaded_program.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "program_faults.hpp"
#include "program_notes.hpp"
#include "simulated_memory.hpp"

#include "boards/host/board.hpp"
#include "boards/host/console.hpp"
#include "boards/host/stop.hpp"
#include "kernel/node/node.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

mesh::Process app_main_ascend(mesh::Kernel& kernel);
mesh::Process app_main_fft(mesh::Kernel& kernel);
mesh::Process app_main_job(mesh::Kernel& kernel);
mesh::Process app_main_sort(mesh::Kernel& kernel);

namespace mesh::host {
namespace {

/// The programs of firmware/ops, by the names that ops have for them.
constexpr std::array<std::pair<std::string_view, Program>, 4> kOwnPrograms{
    {{"ascend", app_main_ascend},
     {"fft", app_main_fft},
     {"job", app_main_job},
     {"sort", app_main_sort}}};

/// UsageError if the constructor of a global of a program fails.
std::deque<LoadedProgram> programs_of(const RigPlan& plan, ProgramFaults& faults) {
    std::deque<LoadedProgram> programs;
    for (const RigProgram& program : plan.programs) {
        const auto number = static_cast<unsigned>(programs.size() + 1);
        if (program.image.empty())
            programs.emplace_back(look_up(kOwnPrograms, program.name, "program"));
        else if (!faults.guard([&] {
                     programs.emplace_back(program.image, number, node_count(plan.network));
                 }))
            refuse("{}: a global of the program cannot be made: {}", program.name,
                   fault_words(faults.record()));
    }
    return programs;
}

/// Sizes of one node's memory.
struct Sizes {
    std::size_t buffers;
    std::size_t ports;

    static constexpr std::size_t kArenaBytes = 26 << 10;
};

/// Tells the loom the trace events of a node's processes, gives them their globals, and asks the
/// order of the run whether a process has its turn.
class LifeWatch final : public ProcessWatch {
public:
    LifeWatch(Loom& loom, Order* order, LoadedProgram& program, NodeId node, Kernel& kernel)
        : loom_(loom),
          order_(order),
          program_(program),
          node_(node),
          kernel_(kernel) {}

    void happened(ProcessEvent event, std::uint8_t slot) override {
        static_assert(static_cast<int>(TraceEvent::What::ended) ==
                      static_cast<int>(ProcessEvent::ended));
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

private:
    Loom& loom_;
    Order* order_;
    LoadedProgram& program_;
    NodeId node_;
    Kernel& kernel_;
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
/// begins.
class Nodes {
public:
    Nodes(const Sizes& sizes, std::uint32_t count) : sizes_(sizes), count_(count) {
        base_ = static_cast<std::byte*>(mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (base_ == MAP_FAILED)
            throw RunError(fmt::format("cannot map {} MB for the nodes", bytes() >> 20));
        // The memory that all nodes use; only the speed of a large mesh depends on huge pages.
        static_cast<void>(madvise(base_, slots(), MADV_HUGEPAGE));
        static_cast<void>(madvise(base_ + slots(), kFullRows * slot_row(), MADV_HUGEPAGE));
        static_cast<void>(madvise(base_ + pools(), kFullRows * pool_row(), MADV_HUGEPAGE));
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
        const std::size_t arena = arenas() + number * Sizes::kArenaBytes;
        const std::span buffers{at<PacketBuffer>(pools()), sizes_.buffers << interleaving().log2};
        const std::span slots{at<PortSlot>(this->slots()), buffers.size() * sizes_.ports};
        return {.buffers = buffers.subspan(number),
                .slots = slots.subspan(number * sizes_.ports),
                .links = {at<Link>(links), sizes_.ports},
                .processes = {at<ProcessSlot>(processes), limits::kProcessesMax},
                .peers = {at<Peer>(peers() + number * std::size_t{count_} * sizeof(Peer)), count_},
                .arena = {at<std::byte>(arena), Sizes::kArenaBytes},
                .workspace = {at<std::byte>(workspaces() +
                                            number * std::size_t{limits::kWorkspaceBytes}),
                              limits::kWorkspaceBytes},
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
    std::size_t workspaces() const {
        return whole(arenas() + count_ * Sizes::kArenaBytes, kHugePageBytes);
    }
    /// A place for every node at every node: most of them are never touched.
    std::size_t peers() const {
        return workspaces() + count_ * std::size_t{limits::kWorkspaceBytes};
    }
    std::size_t bytes() const { return peers() + std::size_t{count_} * count_ * sizeof(Peer); }

    Sizes sizes_;
    std::uint32_t count_;
    std::uint32_t made_ = 0;
    std::byte* base_;
};

class Simulation final : public Engine {
public:
    explicit Simulation(const RigPlan& plan)
        : network_(plan.network),
          window_bytes_(plan.board.window_bytes(port_count(plan.network))),
          faults_(kComputingTimeouts * ProgramFaults::Seconds(plan.timeout_s),
                  ProgramFaults::Seconds(plan.limit_s)),
          programs_(programs_of(plan, faults_)),
          notes_(plan),
          nodes_({simulated_buffers(plan.network, plan.board.buffers), port_count(plan.network)},
                 node_count(plan.network)),
          loom_(node_count(plan.network), port_count(plan.network),
                plan.wiring ? plan.wiring : wiring_of(plan.network), plan.faults, cables_) {
        wire::simulated_payload_bytes_max = static_cast<std::uint16_t>(plan.board.payload);
        if (plan.order)
            loom_.follow(order_.emplace(*plan.order, node_count(plan.network)));
        for (std::uint32_t number = 0; number < node_count(plan.network); ++number) {
            nodes_.make(programs_[plan.program_number(node_at(number))]);
            begin_life(node_at(number), 0);
        }
    }

    void boot(Events& events) override {
        events_ = &events;
        for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
            watch(node_at(number));
            nodes_[number].life->node.boot();
        }
        throw_on();
    }

    bool advance(std::chrono::milliseconds timeout, Events& events) override {
        events_ = &events;
        const auto until = std::chrono::steady_clock::now() + timeout;
        constexpr unsigned kRunsBetweenLooks = 64;
        unsigned runs = 0;
        while (!runnable_.empty() || !resets_.empty()) {
            throw_on();
            reset_nodes();
            if (runnable_.empty())
                continue;
            const std::uint32_t number = runnable_.front();
            SimNode& node = nodes_[number];
            runnable_.pop_front();
            if (runnable_.size() > kAhead)
                nodes_.fetch(runnable_[kAhead]);
            node.queued = false;
            if (!node.gone && !node.life->board.hung())
                run(node_at(number));
            if (++runs % kRunsBetweenLooks == 0 && std::chrono::steady_clock::now() >= until)
                break;
        }
        throw_on();
        signals_.check();
        for (const auto& [node, why] : std::exchange(expelled_, {}))
            events.ended(node, why);
        return runs != 0;
    }

    void kill(NodeId node) override {
        nodes_[index(node)].gone = true;
        loom_.gone(node);
    }

    Loom& loom() override { return loom_; }
    std::vector<WaitsFor> waiting(NodeId number) override {
        SimNode& node = nodes_[index(number)];
        if (node.gone)
            return {};
        SimulatedMemory memory(node.life->node.kernel());
        return waits_in(memory);
    }
    std::vector<CallsApart> calls_apart() const override { return notes_.calls_apart(); }
    std::string waited_in_vain(NodeId node) const override { return notes_.waited_in_vain(node); }
    bool real_time() const override { return false; }

private:
    /// The loom's side of the nodes.
    struct NodeCables final : Cables {
        explicit NodeCables(Simulation& owner) : simulation(owner) {}
        bool deliver(NodeId to, std::span<const std::byte> frame) override {
            simulation.deliver(to, frame);
            return true;
        }
        // A coroutine of the node calls this, and nothing may be thrown through that.
        void to_host(NodeId from, std::span<const std::byte> frame) override {
            try {
                simulation.events_->host_frame(from, frame);
            } catch (...) {
                if (!simulation.thrown_)
                    simulation.thrown_ = std::current_exception();
            }
        }
        // The node may be the one that is running: it only stops being asked.
        void kill(NodeId node) override { simulation.nodes_[index(node)].gone = true; }
        void restart(NodeId node, unsigned starts) override {
            kill(node);
            simulation.nodes_[index(node)].resets = 0;
            std::erase_if(simulation.resets_,
                          [&](const auto& reset) { return reset.first == node; });
            simulation.resets_.emplace_back(node, starts);
        }
        void expel(NodeId node, std::string_view why) override {
            kill(node);
            simulation.expelled_.emplace_back(node, why);
        }
        std::uint64_t now_us() const override { return 0; }
        Simulation& simulation;
    };

    /// Throws the exception that the host tool threw while it took a frame of a node.
    void throw_on() {
        if (thrown_)
            std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

    void run(NodeId number) {
        SimNode& simulated = nodes_[index(number)];
        Node<board::HostBoard>& node = simulated.life->node;
        if (std::exchange(simulated.host_speaks, false))
            simulated.program.enter(number);
        board::set_console(&node.kernel());
        const bool whole = faults_.guard([&node] {
            while (node.poll()) {
            }
        });
        board::set_console(nullptr);
        if (whole)
            return;
        if (faults_.record().cause == board::kReset)
            return begin_anew(number);
        events_->host_frame(number, make_host_frame(kNoNode, wire::HostTag::fault,
                                                    wire::bytes_of(faults_.record())));
        kill(number);
        expelled_.emplace_back(number, "out of the simulation");
    }

    /// A program has reset its node.
    void begin_anew(NodeId number) {
        const wire::BeganAnew told{.resets = nodes_[index(number)].resets + 1,
                                   .may_begin_again = 0}; // if it may, that has arrived
        loom_.reset_itself(number);
        nodes_[index(number)].resets = told.resets;
        events_->host_frame(
            number, make_host_frame(kNoNode, wire::HostTag::began_anew, wire::bytes_of(told)));
    }

    void begin_life(NodeId id, unsigned starts) {
        SimNode& node = nodes_[index(id)];
        if (starts != 0)
            std::ranges::fill(nodes_.memory(index(id)).peers, Peer{});
        node.life.emplace(
            wire::Identity{network_, id, starts},
            [this, id](std::span<std::byte> frame) { loom_.frame_from(id, frame); }, window_bytes_,
            nodes_.memory(index(id)), node.program.entry());
        node.program.reset(id);
        node.gone = false;
    }

    void watch(NodeId id) {
        Life& life = *nodes_[index(id)].life;
        Kernel& kernel = life.node.kernel();
        LoadedProgram& program = nodes_[index(id)].program;
        if (order_ || loom_.wants_trace_events() || program.has_globals())
            kernel.scheduler().watch(
                &life.watch.emplace(loom_, order_ ? &*order_ : nullptr, program, id, kernel));
    }

    /// Nodes begin anew in memory that is as it was at first.
    void reset_nodes() {
        for (const auto& [id, starts] : std::exchange(resets_, {})) {
            const Memory memory = nodes_.memory(index(id));
            for (Link& link : memory.links)
                new (&link) Link;
            std::ranges::fill(memory.workspace, std::byte{});
            begin_life(id, starts);
            notes_.note_no_calls();
            loom_.restarted(id);
            watch(id);
            nodes_[index(id)].life->node.boot();
        }
    }

    void deliver(NodeId to, std::span<const std::byte> frame) {
        SimNode& node = nodes_[index(to)];
        node.life->board.deliver(frame);
        if (wire::load<wire::Kind>(frame, wire::offset::kKind) == wire::Kind::host)
            node.host_speaks = true;
        if (!node.queued)
            runnable_.push_back(index(to));
        node.queued = true;
    }

    /// Nodes whose memory is on its way while one works.
    static constexpr std::size_t kAhead = 1;
    /// The same number as for a node of an emulator (Deadlines::stuck).
    static constexpr double kComputingTimeouts = 3;

    Network network_;
    std::size_t window_bytes_;
    ProgramFaults faults_;
    std::deque<LoadedProgram> programs_;
    ProgramNotes notes_;
    Nodes nodes_;
    std::deque<std::uint32_t> runnable_;
    std::vector<std::pair<NodeId, unsigned>> resets_; // and how often each was started before
    std::vector<std::pair<NodeId, std::string>> expelled_;
    std::exception_ptr thrown_; // see NodeCables::to_host()
    Signals signals_;
    Events* events_ = nullptr;
    NodeCables cables_{*this};
    std::optional<Order> order_;
    Loom loom_;
};

} // namespace

/// As on a board with 256 nodes at least. An exchange of all with all over several trees at once
/// queues some packets of every source at a node of the star; with fewer buffers it still ends, but
/// neighbours hold each other back and it takes more steps.
std::size_t simulated_buffers(Network network, unsigned board_buffers) {
    constexpr std::size_t kQueuedOfEach = 16;
    constexpr std::size_t kQueuedMax = 8192;
    if (board_buffers != 0)
        return board_buffers;
    // As on boards whose images are for any network of 256 nodes.
    constexpr std::uint32_t kNodes = 256;
    constexpr unsigned kWayBack = height({Topology::uhc, 8}, Rule::disjoint);
    const std::uint32_t nodes = node_count(network);
    const std::size_t derived = limits::pool_buffers_min(
        std::max(nodes, kNodes) - 1, std::max(height(network, Rule::disjoint), kWayBack),
        limits::kReceiversMax);
    const std::size_t queues = network.topology == Topology::star ? kQueuedOfEach * nodes : 0;
    return std::min(std::max(derived, std::min(queues, kQueuedMax)), PacketPool::kBuffersMax);
}

std::unique_ptr<Engine> make_simulation(const RigPlan& plan) {
    return std::make_unique<Simulation>(plan);
}

} // namespace mesh::host
