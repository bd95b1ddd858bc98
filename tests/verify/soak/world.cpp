#include "world.hpp"

#include "tests/kernel/audit.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"
#include "wire/relay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace mesh::soak {

namespace {
constexpr std::uint64_t kPollUs = 500;
} // namespace

World::Life::Life(World& world, const wire::Identity& identity, unsigned life)
    : number(life),
      gates(world.size_.gates),
      memory({.ports = world.ports_,
              .buffers = world.size_.buffers,
              .processes = limits::kProcessesMax,
              .nodes = world.node_count_,
              .arena_bytes = world.size_.arena_bytes,
              .workspace_bytes = 2048}),
      board(identity,
            [&world, id = identity.node](std::span<std::byte> frame) { world.carry(id, frame); }),
      node(board, memory, world.program_) {}

World::World(Network network, Program program, const Size& size, std::uint64_t delay_us,
             std::uint64_t process_delay_us)
    : network_(network),
      program_(program),
      size_(size),
      node_count_(node_count(network)),
      ports_(port_count(network)),
      cables_(std::size_t{node_count_} * ports_),
      delay_us_(delay_us),
      process_delay_us_(process_delay_us) {
    for (unsigned node = 0; node < node_count_; ++node) {
        lives_.push_back(std::make_unique<Life>(*this, wire::Identity{network, node_at(node)}, 0));
        for (PortSequence out = PortSequence::ascending(out_ports(network, node_at(node)));
             !out.empty();) {
            const Port port = out.pop();
            Cable& cable = this->cable(node, index(port));
            cable.to = index(neighbor(network, node_at(node), port));
            cable.plugged = true;
        }
    }
}

World::~World() = default;

void World::start() {
    for (auto& life : lives_)
        life->node.boot();
    for (unsigned node = 0; node < node_count_; ++node)
        disturb(node);
    const auto settle = [this] {
        for (bool moved = true; moved;) {
            moved = false;
            for (unsigned actor = 0; actor < cables() + node_count_; ++actor)
                while (enabled(actor)) {
                    act(actor);
                    moved = true;
                }
        }
    };
    settle();
    carried_ = 0;
    for (unsigned node = 0; node < node_count_; ++node)
        give_job(node, true);
}

// Events that may happen --------------------------------------------------------------------------

std::uint64_t World::next_alarm() const {
    std::uint64_t next = wire::kNever;
    for (const auto& life : lives_)
        if (life->alive)
            next = std::min(next, life->board.alarm_us());
    return next;
}

// Time comes no further than this, for the oldest of the events that must still happen.
std::uint64_t World::latest_us() const {
    std::uint64_t latest = wire::kNever;
    for (const Cable& cable : cables_)
        if (!cable.frames.empty() && !cable.clogged)
            latest = std::min(latest, cable.frames.front().since_us + delay_us_);
    for (const auto& life : lives_) {
        if (!life->alive)
            continue;
        if (life->restless)
            latest = std::min(latest, life->restless_since_us + delay_us_);
        for (const Gate& gate : life->gates)
            if (gate.waiting)
                latest = std::min(latest, gate.since_us + process_delay_us_);
    }
    return latest;
}

void World::disturb(unsigned node) {
    Life& life = *lives_[node];
    if (!std::exchange(life.restless, true))
        life.restless_since_us = now_us_;
}

bool World::enabled(unsigned actor) const {
    if (actor < cables())
        return !cables_[actor].frames.empty() && !cables_[actor].clogged;
    if (actor < cables() + node_count_) {
        const Life& life = *lives_[actor - cables()];
        return life.alive && (life.restless || life.board.alarm_us() <= now_us_);
    }
    if (actor < clock_actor()) {
        const unsigned number = actor - cables() - node_count_;
        const Life& life = *lives_[number / size_.gates];
        return life.alive && life.gates[number % size_.gates].waiting;
    }
    const std::uint64_t next = next_alarm();
    return next != wire::kNever && next > now_us_ && next <= latest_us();
}

void World::act(unsigned actor) {
    if (actor < cables()) {
        bring(cables_[actor]);
    } else if (actor < cables() + node_count_) {
        // A node that wants to be called again at once does not stop the time of the others.
        if (!std::exchange(lives_[actor - cables()]->restless, false))
            now_us_ = std::max(now_us_, std::min(now_us_ + kPollUs, latest_us()));
        poll(actor - cables());
    } else if (actor < clock_actor()) {
        const unsigned number = actor - cables() - node_count_;
        Life& life = *lives_[number / size_.gates];
        life.gates[number % size_.gates] = {.open = true};
        life.node.kernel().scheduler().touch();
        life.restless = false;
        poll(number / size_.gates);
    } else {
        now_us_ = next_alarm();
    }
}

namespace {
constexpr std::array<std::string_view, static_cast<std::size_t>(Service::kCount)> kServices{
    "packet", "message", "fragment", "ask",   "probe",   "call", "look",
    "taken",  "nothing", "lost",     "alive", "unknown", "here", "gone"};

std::string words_of(const wire::PacketHeader& packet) {
    return fmt::format("{} of call {} tag {} from {} to {} message {} position {} rule {}",
                       kServices.at(packet.service), packet.call, packet.tag, index(packet.source),
                       index(packet.destination), packet.message, packet.position,
                       static_cast<int>(packet.rule));
}
std::string words_of(std::span<const std::byte> frame) {
    constexpr std::array<std::string_view, 5> kNames{"", "hello", "hello_answer", "data", "ack"};
    wire::LinkHeader head;
    if (wire::read_head(frame, frame.size(), head) != wire::Parse::ok)
        return "a damaged frame";
    std::string words = fmt::format("{} {} acknowledged {} refused {:x} free {} flags {:x}",
                                    kNames.at(static_cast<std::size_t>(head.kind)), head.sequence,
                                    head.acknowledged, head.refused, head.free_buffers, head.flags);
    wire::PacketHeader packet;
    if (head.kind == wire::Kind::data &&
        wire::read_packet(frame.subspan(wire::kHeadBytes), packet) == wire::Parse::ok)
        words += "; " + words_of(packet);
    return words;
}
} // namespace

std::string World::name(unsigned actor) const {
    if (actor < cables())
        return fmt::format("{} by {} of {}", actor / ports_, actor % ports_,
                           words_of(cables_[actor].frames.front().bytes));
    if (actor < cables() + node_count_)
        return fmt::format("node {} rests", actor - cables());
    const unsigned number = actor - cables() - node_count_;
    if (actor < clock_actor())
        return fmt::format("process {} of node {}", number % size_.gates, number / size_.gates);
    return fmt::format("time after {} us", now_us_);
}

void World::poll(unsigned node) {
    lives_[node]->board.set_time(now_us_);
    if (!lives_[node]->node.poll() && wrong_.empty())
        audit(node);
}

void World::audit(unsigned node) {
    Life& life = *lives_[node];
    const char* const wrong = mesh::audit(
        life.node.kernel(), {life.memory.buffers, life.memory.slots, ports_}, life.memory.links);
    if (wrong != nullptr)
        wrong_ = fmt::format("node {} after {} ms: {}", node, now_us_ / 1000, wrong);
}

void World::bring(Cable& cable) {
    const Frame frame = std::move(cable.frames.front());
    cable.frames.pop_front();
    Life& life = *lives_[cable.to];
    if (!life.alive)
        return;
    life.board.deliver(frame.bytes);
    disturb(cable.to);
    poll(cable.to);
}

void World::wake_all() {
    for (unsigned node = 0; node < node_count_; ++node) {
        kernel(node).scheduler().touch();
        disturb(node);
    }
}

void World::compute(NodeId node, unsigned frames) {
    Life& life = *lives_[index(node)];
    for (Cable& cable : cables_) {
        if (frames == 0 || cable.to != index(node) || cable.clogged || cable.frames.empty())
            continue;
        life.board.deliver(cable.frames.front().bytes);
        cable.frames.pop_front();
        --frames;
        life.board.tick();
    }
    disturb(index(node));
}

void World::harm_last(std::deque<Frame>& frames, Harm how) {
    const auto last = frames.end() - 1;
    switch (how) {
    case Harm::drop: frames.pop_back(); return;
    case Harm::twice: frames.push_back(*last); return;
    case Harm::swap:
        if (frames.size() > 1)
            std::iter_swap(last, last - 1);
        return;
    case Harm::corrupt: // behind the head, if there is more
        last->bytes.back() ^= std::byte{4};
        return;
    }
}

void World::carry(NodeId from, std::span<const std::byte> frame) {
    const auto port = static_cast<Port>(frame[wire::offset::kCablePort]);
    if (port == kHostPort)
        return;
    Cable& cable = this->cable(index(from), index(port));
    if (!cable.plugged || cable.cut)
        return;
    if (cable.losing != 0) {
        --cable.losing;
        return;
    }
    cable.frames.push_back({{frame.begin(), frame.end()}, now_us_});
    ++carried_;
    for (const FrameFault& fault : frame_faults_)
        if (fault.frame == carried_) {
            harm_last(cable.frames, fault.how);
            return;
        }
}

// The host ----------------------------------------------------------------------------------------

void World::tell(unsigned node, wire::HostTag tag, std::span<const std::byte> payload) {
    std::vector<std::byte> frame(wire::kHeadBytes + wire::kPacketHeaderBytes + payload.size());
    const auto [link, packet] =
        test::host_message(std::span{frame}.subspan(wire::kHeadBytes), tag, payload);
    wire::write_head(link, {}, std::span{frame}.first<wire::kHeadBytes>());
    lives_[node]->board.deliver(frame);
    disturb(node);
    poll(node);
}

void World::give_job(unsigned node, bool runs) {
    const wire::Job job{.op = runs ? wire::Op::app : wire::Op::none};
    tell(node, wire::HostTag::job, wire::bytes_of(job));
    if (runs)
        tell(node, wire::HostTag::start, {});
}

// Faults ------------------------------------------------------------------------------------------

void World::cut(unsigned node, unsigned port, bool whole) {
    Cable& there = cable(node, port);
    there.frames.clear();
    there.cut = true;
    if (whole && there.plugged)
        cut(there.to, port, false);
}

void World::mend(unsigned node, unsigned port) {
    Cable& there = cable(node, port);
    there.cut = false;
    if (there.plugged)
        cable(there.to, port).cut = false;
}

void World::mend_all() {
    for (Cable& cable : cables_)
        cable.cut = cable.clogged = false;
}

void World::clog(unsigned node, unsigned port, bool clogged) {
    cable(node, port).clogged = clogged;
}

void World::kill(unsigned node) { lives_[node]->alive = false; }

void World::restart(unsigned node, bool runs) {
    wire::Identity identity = lives_[node]->board.identity();
    ++identity.start;
    begin_life(node, identity, runs);
}

void World::cut_power(unsigned node) {
    wire::Identity identity{network_, node_at(node)};
    identity.birth = wire::birth_at(now_us_ + 7919u * ++births_); // it takes some time to boot
    begin_life(node, identity, true);
}

void World::begin_life(unsigned node, const wire::Identity& identity, bool runs) {
    for (std::size_t counter = 0; counter < kCounterCount; ++counter)
        past_[counter] += kernel(node).counters().values()[counter];
    const unsigned number = lives_[node]->number + 1;
    lives_[node] = std::make_unique<Life>(*this, identity, number);
    lives_[node]->board.set_time(now_us_);
    lives_[node]->node.boot();
    disturb(node);
    give_job(node, runs);
}

void World::harm(unsigned first, Harm how, unsigned bit) {
    for (unsigned turn = 0; turn < cables(); ++turn) {
        std::deque<Frame>& frames = cables_[(first + turn) % cables()].frames;
        if (frames.empty())
            continue;
        switch (how) {
        case Harm::drop: frames.pop_front(); break;
        case Harm::twice: frames.push_back(frames.front()); break;
        case Harm::swap: std::rotate(frames.begin(), frames.begin() + 1, frames.end()); break;
        case Harm::corrupt: {
            const std::size_t bits = 8 * (frames.front().bytes.size() - wire::kCableBytes);
            frames.front().bytes[wire::kCableBytes + bit % bits / 8] ^=
                static_cast<std::byte>(1u << bit % 8);
            break;
        }
        }
        return;
    }
}

// State -------------------------------------------------------------------------------------------

std::uint64_t World::total(Counter counter) const {
    std::uint64_t sum = past_[static_cast<std::size_t>(counter)];
    for (const auto& life : lives_)
        sum += life->node.kernel().counters()[counter];
    return sum;
}

bool World::whole() const {
    return std::ranges::all_of(lives_,
                               [](const auto& life) {
                                   return life->alive && life->node.kernel().dead_ports() == 0;
                               }) &&
           std::ranges::all_of(cables_, [](const Cable& cable) {
               return !cable.cut && !cable.clogged && cable.frames.empty();
           });
}

void World::state(const std::function<void(std::span<const std::byte>)>& take) const {
    const auto take_object = [&take](const auto& object) {
        take(std::as_bytes(std::span{&object, 1}));
    };
    for (const Cable& cable : cables_) {
        take_object(cable.frames.size());
        for (const Frame& frame : cable.frames)
            take(frame.bytes);
    }
    for (const auto& life : lives_) {
        for (const Gate& gate : life->gates)
            take_object(gate.waiting), take_object(gate.open);
        take_object(life->restless);
        const test::HeapMemory& memory = life->memory;
        for (const PacketBuffer& buffer : memory.buffers) {
            take_object(buffer.references);
            take_object(buffer.next);
            if (buffer.references == 0)
                continue;
            take_object(buffer.remaining);
            take(std::span{buffer.bytes}.first(wire::kPacketHeaderBytes +
                                               buffer.header.payload_bytes));
        }
        for (std::size_t number = 0; number < memory.slots.size(); ++number)
            if (memory.buffers[number / ports_].references != 0)
                take_object(memory.slots[number].next);
        take(std::as_bytes(std::span{memory.links}));
        take(std::as_bytes(std::span{memory.processes}));
        take(std::as_bytes(std::span{memory.peers}));
        take(std::as_bytes(std::span{memory.arena}));
        const auto node = std::as_bytes(std::span{&life->node.inside(), 1});
        const Counters& counters = life->node.kernel().counters();
        const auto counted =
            static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&counters) - node.data());
        take(node.first(counted));
        take(node.subspan(counted + sizeof counters));
    }
}

std::string World::packets_of(unsigned node) const {
    Kernel& kernel = lives_[node]->node.kernel();
    std::string words = fmt::format("node {}: {} buffers free, {} packets for its processes", node,
                                    kernel.pool().free(), kernel.mailbox().size());
    for (unsigned port = 0; port < ports_; ++port)
        words += fmt::format(", {} for port {}{}", lives_[node]->memory.links[port].pending(), port,
                             (kernel.dead_ports() & bit_of(port_at(port))) != 0 ? " (dead)" : "");
    for (const PacketBuffer* at = kernel.mailbox().first(); at != nullptr; at = at->next)
        words += "\n  has " + words_of(at->header);
    for (unsigned number = 0; number < kernel.pool().used_max(); ++number) {
        const PacketBuffer& buffer = *kernel.pool().at(number);
        if (buffer.references != 0)
            words += fmt::format("\n  holds, for {} links more: {}", buffer.remaining,
                                 words_of(buffer.header));
    }
    for (const Outgoing* at = kernel.messages().first(); at != nullptr; at = at->next)
        words += fmt::format("\n  asks by {} node {} message {} about {} tag {} call {}{}{}{}",
                             kServices.at(static_cast<std::size_t>(at->question)), index(at->to),
                             at->message, at->about, CallLabel::of_word(at->label).tag,
                             static_cast<unsigned>(CallLabel::of_word(at->label).call),
                             at->offered ? ", offered" : "", at->taken ? ", taken" : "",
                             at->alive ? ", alive" : "");
    return words;
}

} // namespace mesh::soak
