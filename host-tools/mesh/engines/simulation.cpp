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
#include "simulated_nodes.hpp"

#include "boards/host/board.hpp"
#include "boards/host/console.hpp"
#include "boards/host/program_memory.hpp"
#include "boards/host/stop.hpp"
#include "kernel/node/node.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
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
        else if (!faults.guard(kNoNode, [&] {
                     programs.emplace_back(program.image, number, node_count(plan.network));
                 }))
            refuse("{}: a global of the program cannot be made: {}", program.name,
                   fault_words(faults.record()));
    }
    return programs;
}

/// True if a process of `to` may see what this frame brings: it is not of a link alone, nor passes
/// through.
bool may_be_seen(NodeId to, std::span<const std::byte> frame) {
    const auto kind = wire::load<wire::Kind>(frame, wire::offset::kKind);
    if (kind != wire::Kind::data)
        return kind == wire::Kind::host;
    const auto packet = frame.subspan(wire::kHeadBytes);
    return packet.size() > wire::load<std::uint16_t>(frame, wire::offset::kPacketBytes) ||
           wire::load<Rule>(packet, wire::packet_offset::kRule) != Rule::unicast ||
           wire::load<NodeId>(packet, wire::packet_offset::kDestination) == to;
}

class Simulation final : public Engine {
public:
    explicit Simulation(const RigPlan& plan)
        : network_(plan.network),
          window_bytes_(plan.board.window_bytes(port_count(plan.network))),
          faults_(kComputingTimeouts * ProgramFaults::Seconds(plan.options.timeout_s),
                  ProgramFaults::Seconds(plan.options.limit_s)),
          programs_(programs_of(plan, faults_)),
          notes_(plan),
          nodes_({simulated_buffers(plan.network, plan.board.buffers), port_count(plan.network)},
                 node_count(plan.network), !plan.programs.front().image.empty()),
          loom_(node_count(plan.network), port_count(plan.network),
                plan.wiring ? plan.wiring : wiring_of(plan.network), plan.faults, cables_) {
        wire::simulated_payload_bytes_max = static_cast<std::uint16_t>(plan.board.payload);
        board::set_heap_bytes(plan.heap_bytes);
        if (plan.order)
            follow(*plan.order, plan.chooser);
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
    void name_places_by(const PlaceOf& place_of) override { notes_.name_places_by(place_of); }
    LastCall last_call(NodeId node) const override { return notes_.last_call(node); }
    std::string waited_in_vain(NodeId node) const override { return notes_.waited_in_vain(node); }
    unsigned given_up(NodeId node) const override { return notes_.given_up(node); }
    bool real_time() const override { return false; }

private:
    void follow(const OrderPlan& plan, TurnChooser* chooser) {
        order_.emplace(plan, nodes_.size(), chooser);
        chooser_ = chooser;
        if (!plan.by_turns)
            return loom_.follow(*order_);
        turns_.emplace(*order_, [this](NodeId node) {
            if (nodes_[index(node)].gone)
                return;
            nodes_[index(node)].life->node.kernel().scheduler().touch();
            loom_.remind(node);
        });
        loom_.follow(*order_, *turns_);
    }

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
        const bool whole = faults_.guard(number, [&node] {
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
                &life.watch.emplace(loom_, order_ && !turns_ ? &*order_ : nullptr,
                                    turns_ ? &*turns_ : nullptr, notes_, program, id, kernel));
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
        if (chooser_ != nullptr && may_be_seen(to, frame))
            chooser_->reached(to);
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
    std::optional<Turns> turns_;
    TurnChooser* chooser_ = nullptr;
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
