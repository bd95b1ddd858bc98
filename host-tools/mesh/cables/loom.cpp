#include "loom.hpp"

#include "bounds.hpp"
#include "host_frame.hpp"
#include "train.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace mesh::host {

namespace {

/// Outside lockstep: how long `reorder` waits for a next frame to let pass.
constexpr std::uint64_t kReorderUs = 5'000;

wire::Kind kind_of(std::span<const std::byte> frame) {
    return wire::load<wire::Kind>(frame, wire::offset::kKind);
}

/// Lockstep: when a frame is due at the other end. Link control at once, packets by model time.
wire::ModelTime release_time(std::span<const std::byte> frame) {
    return kind_of(frame) == wire::Kind::data
               ? wire::load<wire::ModelTime>(frame, wire::offset::kModelTime)
               : 0;
}

void shorten(Bytes& frame, std::size_t bytes) { frame.resize(bytes); }
void shorten(std::span<std::byte>& frame, std::size_t bytes) { frame = frame.first(bytes); }

} // namespace

std::string LoomCounts::struck_words() const {
    std::string words;
    for (const FaultKind* kind : fault_kinds())
        if (const FrameFault* fault = kind->of_frames(); fault && struck_by(*kind) != 0)
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", fault->count_words(),
                                 struck_by(*kind));
    return words.empty() ? "none" : words;
}

Loom::Loom(std::uint32_t nodes, unsigned ports, const Wiring& wiring, FaultPlan plan,
           Cables& cables)
    : ports_(ports),
      cables_(cables),
      plan_(std::move(plan)),
      state_(nodes),
      lockstep_(nodes, {[this](Held& held) {
                            let_go(sender(held.wire), held.frame.size());
                            pass(held.wire, std::move(held.frame));
                        },
                        [this](NodeId to, auto frame) {
                            counts_.overflow += cables_.deliver(to, frame) ? 0 : 1;
                        },
                        [this](NodeId to, wire::ModelTime time) {
                            lockstep_.enqueue(to, make_grant(time));
                        },
                        [this] { return free_all_kept(); }}) {
    wires_.resize(std::size_t{nodes} * ports);
    for (std::uint32_t wire = 0; wire < nodes * ports; ++wire)
        wires_[wire].far = wiring(node_at(wire / ports), port_at(wire % ports)).value_or(Far{});
}

void Loom::frame_from(NodeId from, std::span<std::byte> frame) {
    NodeState& state = state_of(from);
    if (state.gone || state.down)
        return;
    ++counts_.frames;
    if (frame.size() < wire::kHeadBytes) {
        ++counts_.malformed;
        return;
    }
    if (!state.heard) {
        wire::LinkHeader header;
        state.heard = wire::read_head(frame, frame.size(), header) == wire::Parse::ok;
        if (state.heard && !state.awake)
            wake(from);
    }
    const auto port = wire::load<Port>(frame, wire::offset::kCablePort);
    if (port == kHostPort) {
        from_host_port(from, frame);
        return;
    }
    if (kind_of(frame) == wire::Kind::host && !leads_on(from, port))
        return; // it asks by all its ports who it is
    if (index(port) >= ports_) {
        ++counts_.malformed;
        return;
    }
    if (wires_[number(from, port)].far.node == kNoNode) {
        if (counts_.against++ == 0)
            counts_.first_against = Far{from, port};
        return;
    }
    const Far far = wires_[number(from, port)].far;
    wire::store(frame, wire::offset::kCablePort, far.port);
    if (!lockstep_.on()) {
        if (is_train(frame))
            pass_train(number(from, port), frame);
        else
            pass(number(from, port), frame);
        return;
    }
    if (says_again(state, frame, port))
        return;
    if (release_time(frame) > bounds::kModelTimeMax) {
        expel(from, "sends a packet with a model time that cannot be");
        return;
    }
    const std::uint64_t place = (std::uint64_t{index(far.node)} << 8) | index(far.port);
    if (!hold(from, frame.size()))
        return;
    lockstep_.hold(number(from, port), place, release_time(frame), frame);
    lockstep_.advance(); // nobody else would, if the sender has said that it has nothing to do
}

void Loom::from_host_port(NodeId from, std::span<std::byte> frame) {
    if (kind_of(frame) == wire::Kind::host) {
        cables_.to_host(from, frame);
        return;
    }
    wire::LinkHeader header;
    if (wire::read_head(frame, frame.size(), header) != wire::Parse::ok ||
        header.kind != wire::Kind::idle) {
        ++counts_.malformed;
        return;
    }
    state_[index(from)].greeted = 0; // it has its job: its next hellos are at model times
    const std::string_view wrong =
        lockstep_.idle(from, wire::Idle{header}.consumed(), header.model_time);
    if (!wrong.empty())
        expel(from, wrong);
    lockstep_.advance();
}

/// Lockstep: true for a hello that a restarted node repeats by one port. Real time decides how
/// often it does so before it hears of its job, so of those only the first one counts.
bool Loom::says_again(NodeState& state, std::span<const std::byte> frame, Port port) {
    if (state.starts == 0 || kind_of(frame) != wire::Kind::hello)
        return false;
    const std::uint32_t before = state.greeted;
    state.greeted |= 1u << index(port);
    return state.greeted == before;
}

/// A node's first frame shows that it can receive; it would have lost every frame sent before.
void Loom::wake(NodeId node) {
    NodeState& state = state_[index(node)];
    state.awake = true;
    ++started_;
    for (const Bytes& frame : std::exchange(state.waiting, {}))
        put(node, kNoNode, frame);
}

/// The node is as it was before its first frame; in lockstep all wait until it has come up.
void Loom::restart(NodeId node) {
    NodeState& state = state_of(node);
    if (state.gone && !state.killed)
        return; // it has ended for what it did
    if (state.awake || state.gone)
        --started_;
    const unsigned starts = state.starts + 1;
    cables_.restart(node, starts);
    const std::size_t held_bytes = state.held_bytes; // of its last life, on their way
    state = {};
    state.starts = starts;
    state.held_bytes = held_bytes;
    state.down = true;
    lockstep_.restart(node);
}

/// Keeps a frame until `to` is awake. Neighbours repeat their frames until it answers, so of equal
/// frames only one is kept.
void Loom::keep_for(NodeId to, NodeId from, std::span<const std::byte> frame) {
    std::vector<Bytes>& waiting = state_[index(to)].waiting;
    const auto same = [&](const Bytes& other) { return std::ranges::equal(other, frame); };
    if (std::any_of(waiting.begin(), waiting.end(), same)) {
        ++counts_.repeated;
        return;
    }
    waiting.emplace_back(frame.begin(), frame.end());
    if (from == kNoNode)
        return;
    std::size_t& early = state_[index(from)].early_bytes;
    early += frame.size() + bounds::kFrameOverheadBytes;
    if (early > bounds::kEarlyBytesMax)
        expel(from, fmt::format("floods nodes that are not up with {} bytes", early));
}

/// Counts a frame that is held back for its sender. False if it is one too many.
bool Loom::hold(NodeId from, std::size_t frame_bytes) {
    std::size_t& held = state_[index(from)].held_bytes;
    if (held + frame_bytes + bounds::kFrameOverheadBytes > bounds::kHeldBytesMax) {
        expel(from, fmt::format("sends on and on: {} bytes are on their way", held));
        return false;
    }
    held += frame_bytes + bounds::kFrameOverheadBytes;
    return true;
}

void Loom::let_go(NodeId from, std::size_t frame_bytes) {
    state_[index(from)].held_bytes -= frame_bytes + bounds::kFrameOverheadBytes;
}

void Loom::expel(NodeId node, std::string_view why) {
    if (state_[index(node)].gone)
        return;
    ++counts_.expelled;
    cables_.expel(node, why);
    gone(node);
}

void Loom::too_much_for(NodeId to, unsigned port) {
    const auto leads_here = [&](const Wire& wire) {
        return wire.far.node == to && index(wire.far.port) == port;
    };
    const auto wire = std::find_if(wires_.begin(), wires_.end(), leads_here);
    if (wire == wires_.end()) {
        expel(to, "does not read what it asked for");
        return;
    }
    const NodeId from = sender(static_cast<std::uint32_t>(wire - wires_.begin()));
    expel(from,
          fmt::format("floods node {}: {} bytes wait there", index(to), bounds::kUnreadBytesMax));
}

void Loom::send(NodeId to, std::span<const std::byte> frame) { put(to, kNoNode, frame); }

void Loom::begin_lockstep() {
    lockstep_.begin();
    lockstep_.advance();
}

void Loom::gone(NodeId node) {
    NodeState& state = state_of(node);
    if (!state.awake && !state.gone)
        ++started_;
    if (!std::exchange(state.gone, true) && armed_)
        drop_carrier(node);
    state.waiting.clear();
    lockstep_.exclude(node);
    lockstep_.on_failure();
    lockstep_.advance();
}

/// Tells the neighbours that this node has no power. Not in lockstep, where they find out by their
/// retries, in model time.
void Loom::drop_carrier(NodeId node) {
    for (std::uint32_t at = 0; at < wires_.size() && !lockstep_.on(); ++at)
        if (const PortSet ports = 1u << at % ports_; wires_[at].far.node == node)
            send(sender(at),
                 make_host_frame(sender(at), wire::HostTag::no_carrier, wire::bytes_of(ports)));
}

template <class Frame>
void Loom::put(NodeId to, NodeId from, Frame&& frame) {
    NodeState& state = state_of(to);
    if (state.gone)
        return;
    if (!state.awake) {
        if (state.starts == 0 || from == kNoNode) // a node in reset hears nobody else
            keep_for(to, from, frame);
    } else if (lockstep_.on() && (from != kNoNode || lockstep_.reported(to)))
        lockstep_.enqueue(to, std::forward<Frame>(frame));
    else
        lockstep_.deliver_now(to, frame);
}

// --- faults ---

Transit Loom::enter(std::uint32_t number, std::span<const std::byte> frame,
                    const FrameFaults& faults) {
    Transit transit{0, static_cast<std::uint16_t>(meaningful_bytes(frame)), false, faults};
    if (tap_ == nullptr || !armed_)
        return transit;
    const bool nobody = state_[index(wires_[number].far.node)].gone;
    transit.id = tap_->sent(number, time(), frame.first(transit.bytes), faults, nobody);
    return transit;
}

/// A frame enters its cable: the faults of the wire decide what comes out at the other end.
template <class Frame>
void Loom::pass(std::uint32_t number, Frame&& frame) {
    Wire& wire = wires_[number];
    const FrameFaults faults = wire.faults == nullptr ? FrameFaults{} : wire.faults->draw(frame);
    const Transit transit = enter(number, frame, faults);
    for (FaultSet kinds = faults.kinds; kinds != 0; kinds &= kinds - 1)
        ++counts_.struck[static_cast<std::size_t>(std::countr_zero(kinds))];
    if (faults.lost)
        return;
    if (faults.falsified)
        falsify(frame);
    const Bytes copy = faults.doubled ? Bytes(frame.begin(), frame.end()) : Bytes{};
    if (faults.flip != 0)
        frame[faults.where] ^= std::byte{faults.flip};
    if (faults.bytes != 0)
        shorten(frame, faults.bytes);
    if (faults.late) {
        wire.faults->keep(frame, transit, cables_.now_us() + kReorderUs);
        keeping_.push_back(number);
    } else {
        carry(number, std::forward<Frame>(frame), transit);
        free_kept(number);
    }
    if (faults.doubled) {
        carry(number, copy, transit.copy());
        free_kept(number);
    }
}

/// A train goes on whole, and the tap sees its packets as frames. Where a fault may strike one of
/// them, now or by an incident, each of them goes on as a frame.
void Loom::pass_train(std::uint32_t number, std::span<std::byte> frame) {
    Train train(frame);
    if (wires_[number].faults != nullptr || next_incident_ != plan_.incidents.size()) {
        const NodeState& from = state_of(sender(number));
        while (auto packet = from.gone || from.down ? std::nullopt : train.next())
            pass(number, *packet);
        counts_.malformed += train.broken() ? 1 : 0;
        return;
    }
    while (const auto packet = train.next()) {
        show_arrival(number, *packet, enter(number, *packet, {}));
        ++counts_.packets;
    }
    put(wires_[number].far.node, sender(number), frame);
}

/// Carries a frame along its cable, with the delay of a fault if it has one. In lockstep time is
/// model time, and a delay in real time changes nothing.
template <class Frame>
void Loom::carry(std::uint32_t number, Frame&& frame, const Transit& transit) {
    const std::uint32_t delay_us = transit.faults.delay_us;
    if (delay_us == 0 || lockstep_.on()) {
        arrive(number, std::forward<Frame>(frame), transit);
        return;
    }
    if (!hold(sender(number), frame.size()))
        return;
    delayed_.push_back({cables_.now_us() + delay_us, delays_++, number, transit,
                        Bytes(frame.begin(), frame.end())});
    std::push_heap(delayed_.begin(), delayed_.end(), Delayed::later);
}

void Loom::show_arrival(std::uint32_t number, std::span<const std::byte> frame,
                        const Transit& transit) {
    const Far far = wires_[number].far;
    if (transit.id != 0 && !state_[index(far.node)].gone)
        tap_->arrived(this->number(far.node, far.port), time(), frame, transit);
}

template <class Frame>
void Loom::arrive(std::uint32_t number, Frame&& frame, const Transit& transit) {
    const wire::Kind kind = kind_of(frame);
    show_arrival(number, frame, transit);
    put(wires_[number].far.node, sender(number), std::forward<Frame>(frame));
    if (kind != wire::Kind::data && kind != wire::Kind::load)
        return;
    ++counts_.packets;
    if (armed_)
        happen();
}

void Loom::free_kept(std::uint32_t number) {
    CableFaults* const faults = wires_[number].faults.get();
    if (faults == nullptr || !faults->keeps())
        return;
    const auto [frame, transit] = faults->take_kept();
    std::erase(keeping_, number);
    carry(number, frame, transit);
}

bool Loom::free_all_kept() {
    const std::vector<std::uint32_t> wires = std::exchange(keeping_, {});
    for (const std::uint32_t number : wires)
        free_kept(number);
    return !wires.empty();
}

void Loom::tick() {
    const std::uint64_t now = cables_.now_us();
    while (!delayed_.empty() && delayed_.front().due_us <= now) {
        std::pop_heap(delayed_.begin(), delayed_.end(), Delayed::later);
        const Delayed due = std::move(delayed_.back());
        delayed_.pop_back();
        let_go(sender(due.wire), due.frame.size());
        arrive(due.wire, due.frame, due.transit);
    }
    if (lockstep_.on())
        return;
    while (!keeping_.empty() && wires_[keeping_.front()].faults->kept_until_us() <= now)
        free_kept(keeping_.front());
}

std::optional<std::uint64_t> Loom::next_tick_us() const {
    std::optional<std::uint64_t> next;
    if (!delayed_.empty())
        next = delayed_.front().due_us;
    if (!lockstep_.on() && !keeping_.empty()) {
        const std::uint64_t due = wires_[keeping_.front()].faults->kept_until_us();
        next = std::min(next.value_or(due), due);
    }
    return next;
}

void Loom::follow(Order& order) {
    order_ = &order;
    ordered_.emplace(
        order, OrderedFrames::Ends{[this](std::uint32_t wire) { return sender(wire); },
                                   [this](std::uint32_t wire) { return wires_[wire].far.node; }});
    lockstep_.follow(*ordered_);
}

void Loom::follow(Order& order, Turns& turns) {
    order_ = &order;
    lockstep_.give_turns(turns);
}

void Loom::arm_faults() {
    armed_ = true;
    if (order_ != nullptr)
        order_->begin();
    happen();
}

/// Makes the incidents happen that are due at this number of delivered packets.
void Loom::happen() {
    while (next_incident_ < plan_.incidents.size() &&
           plan_.incidents[next_incident_].after <= counts_.packets) {
        const Incident& incident = plan_.incidents[next_incident_++];
        counts_.happened.push_back(incident);
        promise(incident.kind != nullptr, "a fault of no kind");
        if (incident.kind->breaks_ways())
            lockstep_.on_failure();
        incident.kind->happen(incident, *this);
    }
}

void Loom::set(const Incident& incident, const FrameFault& fault, double amount) {
    const std::size_t kind = number_of(fault);
    const auto set = [&](Wire& wire) {
        if (wire.faults == nullptr)
            wire.faults = std::make_unique<CableFaults>(
                plan_.seed, static_cast<std::uint32_t>(&wire - wires_.data()));
        wire.faults->set(kind, amount);
    };
    if (incident.node == kNoNode)
        std::for_each(wires_.begin(), wires_.end(), set);
    else
        at_cable(incident, set);
}

void Loom::kill(NodeId node) {
    NodeState& state = state_of(node);
    if (state.gone)
        return;
    cables_.kill(node);
    state.gone = state.killed = true;
    lockstep_.exclude(node);
    drop_carrier(node);
}

void Loom::hang(NodeId node) { put(node, kNoNode, make_host_frame(node, wire::HostTag::hang)); }

/// f(wire) for both ways of a cable, or for its way out only.
template <class F>
void Loom::at_cable(const Incident& incident, F f) {
    promise(index(incident.node) < state_.size() && index(incident.port) < ports_, kNoSuchPort);
    Wire& wire = wires_[number(incident.node, incident.port)];
    f(wire);
    if (!incident.one_way && wire.far.node != kNoNode)
        f(wires_[number(wire.far.node, wire.far.port)]);
}

} // namespace mesh::host
