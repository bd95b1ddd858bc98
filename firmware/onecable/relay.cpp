#include "onecable/relay.hpp"

#include "wire/bytes.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <bit>

namespace mesh {

using wire::RelayTag;

namespace {

/// A packet that says nothing to a kernel.
std::span<std::byte> make_packet(std::span<std::byte> room, RelayTag tag, NodeId source,
                                 std::span<const std::byte> payload) {
    return wire::make_packet(room, {.source = source, .tag = static_cast<std::uint16_t>(tag)},
                             payload);
}

} // namespace

Relay::Relay(std::string_view made_for, unsigned ports, std::uint32_t frame_us, Kept& kept)
    : made_for_(made_for.substr(0, kMadeForBytesMax)),
      ports_(ports),
      frame_us_(frame_us),
      kept_(kept) {
    if (kept_.life != 0)
        ++kept_.life;
    question_.packet = make_packet(question_room_.bytes, RelayTag::who, kNoNode, {});
    question_.waits = (PortSet{1} << ports) - 1;
}

// Ways
// ----------------------------------------------------------------------------------------------

/// The port by which a way between two nodes leaves `at`; kNoPort if it does not pass there.
Port Relay::next_port(NodeId at, NodeId from, NodeId to, unsigned way) const {
    const Envelope envelope{.rule = way == 0 ? Rule::unicast : Rule::disjoint,
                            .subtree = static_cast<std::uint8_t>(way - 1),
                            .source = from,
                            .destination = to};
    if (way > rules().path_count(identity_.network))
        return kNoPort;
    Route route = rules().route(identity_.network, at, kNoPort, envelope);
    return route.ports.empty() ? kNoPort : route.ports.pop();
}

/// A frame that goes from one node to another that way comes in here by `port`.
bool Relay::comes_by(Port port, NodeId from, NodeId to, unsigned way) const {
    const std::uint32_t nodes = rules().node_count(identity_.network);
    if (index(from) >= nodes || index(to) >= nodes)
        return false;
    if (port == kHostPort || identity_.node == from)
        return port == kHostPort && identity_.node == from;
    return (rules().in_ports(identity_.network, identity_.node) & bit_of(port)) != 0 &&
           next_port(rules().neighbor(identity_.network, identity_.node, port), from, to, way) ==
               port;
}

Port Relay::up() const {
    return identity_.node == NodeId{0} ? kHostPort
                                       : next_port(identity_.node, identity_.node, NodeId{0}, way_);
}

/// Of those that there are: unicast is one.
void Relay::take_next_way() {
    do
        way_ = wire::way_after(way_, rules().path_count(identity_.network));
    while (up() == kNoPort);
}

void Relay::send_up(Parcel& parcel) const {
    wire::Way{parcel.link}.number() = way_;
    parcel.waits = bit_of(up());
}

Relay::Outcome Relay::on_frame(Port port, const wire::LinkHeader& link,
                               const wire::PacketHeader& header, std::span<const std::byte> packet,
                               bool can_deliver) {
    const auto tag = static_cast<RelayTag>(header.tag);
    if (tag == RelayTag::number) {
        on_number(port, link, packet.subspan(wire::kPacketHeaderBytes));
        return Outcome::done;
    }
    if (!numbered())
        return Outcome::done;
    if (tag == RelayTag::who) {
        tell_numbers(bit_of(port));
        return Outcome::done;
    }
    const bool down = header.destination != kNoNode;
    const NodeId from = down ? NodeId{0} : header.source;
    const NodeId to = down ? header.destination : NodeId{0};
    const unsigned way = wire::Way{link}.number();
    if (!comes_by(port, from, to, way))
        return Outcome::done;
    if (down && to == identity_.node)
        return on_message(link, can_deliver);
    pass_on(to == identity_.node ? kHostPort : next_port(identity_.node, from, to, way), link,
            packet);
    return Outcome::done;
}

void Relay::pass_on(Port out, const wire::LinkHeader& link, std::span<const std::byte> packet) {
    const auto free = std::ranges::find_if(others_, &Parcel::free);
    if (free == others_.end() || out == kNoPort || link.hops >= kHopsMax) {
        note_drop();
        return;
    }
    Whole& room = others_room_[static_cast<std::size_t>(free - others_.begin())];
    std::ranges::copy(packet, room.bytes.begin());
    free->packet = std::span{room.bytes}.first(packet.size());
    free->link = link;
    ++free->link.hops;
    free->waits = bit_of(out);
}

// Numbers
// -------------------------------------------------------------------------------------------

/// The address that the neighbour at `port` assigned to this node; kNoNode: none.
NodeId Relay::numbered_by(const wire::Numbering& numbering, Port port) const {
    const Network network = network_of(numbering);
    const NodeId from = node_at(numbering.from);
    if (!valid(network) || port_count(network) > ports_)
        return kNoNode;
    if (port == kHostPort)
        return NodeId{0};
    const NetworkRules& rules = rules_of(network.topology);
    if (numbering.from >= rules.node_count(network) ||
        (rules.out_ports(network, from) & bit_of(port)) == 0)
        return kNoNode;
    return rules.neighbor(network, from, port);
}

void Relay::on_number(Port port, const wire::LinkHeader& link, std::span<const std::byte> payload) {
    if (payload.size() < sizeof(wire::Numbering) || link.port != port)
        return;
    const auto numbering = wire::load<wire::Numbering>(payload, 0);
    if (!numbered()) {
        const bool old = numbering.run == kept_.run && numbering.assignment <= kept_.assignment;
        const NodeId node = old ? kNoNode : numbered_by(numbering, port);
        if (node != kNoNode)
            adopt(numbering, node);
    } else if (numbering.run != last_.run && !starts_anew_ &&
               (identity_.node != NodeId{0} || port == kHostPort)) {
        kept_.run = numbering.run;
        kept_.assignment = numbering.assignment;
        starts_anew_ = true;
        last_ = numbering;
        last_.from = index(kNoNode); // numbers no node
        tell_numbers(~PortSet{0});
    } else if (numbering.run == last_.run && numbering.assignment > last_.assignment &&
               !starts_anew_) {
        last_.assignment = numbering.assignment;
        tell_numbers(~PortSet{0});
    }
}

void Relay::adopt(const wire::Numbering& numbering, NodeId node) {
    identity_ = {network_of(numbering), node};
    if (wire::without_host(numbering))
        identity_.birth = numbering.birth;
    if (kept_.life == 0)
        kept_.life = numbering.birth;
    last_ = numbering;
    last_.from = index(node);
    question_.waits = 0;
    const unsigned links = 1 + rules().height(identity_.network, Rule::unicast);
    rto_us_ = wire::relay_rto_us(links, frame_us_);
    acknowledgement_.packet = make_packet(acknowledgement_room_.bytes, RelayTag::nothing, node, {});
    tell_numbers(~PortSet{0});
    Room<wire::kPacketHeaderBytes + kMadeForBytesMax> room;
    send(make_packet(room.bytes, RelayTag::named, node, std::as_bytes(std::span{made_for_})));
}

void Relay::number_alone(Network network, std::uint32_t run) {
    adopt({.run = run,
           .assignment = 1,
           .from = index(kNoNode),
           .topology = network.topology,
           .dim = network.dim,
           .birth = wire::birth_at(run)},
          NodeId{0});
}

void Relay::ask_again() { question_.waits = (PortSet{1} << ports_) - 1; }

/// Tells the neighbours that do not know of the last assignment. While a neighbour is told of the
/// assignment before, that has to do: there are more.
void Relay::tell_numbers(PortSet ports) {
    if (numbering_.leaves != 0)
        return;
    write_numbers();
    numbering_.waits |= ports & rules().out_ports(identity_.network, identity_.node);
}

void Relay::write_numbers() {
    numbering_.packet =
        make_packet(numbering_room_.bytes, RelayTag::number, identity_.node, wire::bytes_of(last_));
}

// Messages
// ------------------------------------------------------------------------------------------

Relay::Outcome Relay::on_message(const wire::LinkHeader& link, bool can_deliver) {
    if (wire::Shared{link}.life() != kept_.life)
        return Outcome::done;
    on_acknowledged(link.acknowledged);
    if (link.sequence == 0)
        return Outcome::done;
    const bool next = link.sequence == wire::message_after(last_taken_);
    if (next && !can_deliver) {
        note_drop();
        return Outcome::done;
    }
    if (next)
        last_taken_ = link.sequence;
    else if (link.sequence == last_taken_)
        take_next_way(); // the acknowledgement was lost
    send_up(acknowledgement_);
    return next ? Outcome::deliver : Outcome::done;
}

void Relay::on_acknowledged(std::uint16_t number) {
    if (said_ == 0 || first().link.sequence != number)
        return;
    first().waits = 0;
    if (first().leaves == 0)
        forget_first();
    else
        settled_ = true;
}

void Relay::forget_first() {
    settled_ = false;
    first_ = (first_ + 1) % kOwnMax;
    if (--said_ != 0)
        say_first();
}

void Relay::say_first() {
    send_up(first());
    pause_us_ = rto_us_;
    again_at_us_ = wire::kNever;
}

void Relay::say_nothing() {
    first().waits = 0;
    settled_ = false;
    said_ = 0;
}

void Relay::send(std::span<const std::byte> packet) {
    const unsigned place = (first_ + said_) % kOwnMax;
    std::ranges::copy(packet, own_room_[place].bytes.begin());
    own_[place].packet = std::span{own_room_[place].bytes}.first(packet.size());
    own_[place].link.sequence = next_number_;
    next_number_ = wire::message_after(next_number_);
    if (++said_ == 1)
        say_first();
}

// Ports
// ---------------------------------------------------------------------------------------------

void Relay::on_ready(PortSet ready) {
    const auto has_left = [ready](Parcel& parcel) { parcel.leaves &= ~ready; };
    std::ranges::for_each(own_, has_left);
    std::ranges::for_each(others_, has_left);
    has_left(question_);
    has_left(numbering_);
    has_left(acknowledgement_);
    if (settled_ && first().leaves == 0)
        forget_first();
}

bool Relay::next_frame(PortSet ready, std::uint64_t now_us, wire::LinkHeader& link,
                       std::span<const std::byte>& packet) {
    if (said_ != 0 && !settled_ && now_us >= again_at_us_ && first().free()) {
        take_next_way();
        send_up(first());
    }
    const auto can_leave = [ready](const Parcel& parcel) { return (parcel.waits & ready) != 0; };
    Parcel* next = nullptr;
    for (Parcel* parcel : {&numbering_, &question_, &first()})
        next = next == nullptr && can_leave(*parcel) ? parcel : next;
    if (const auto other = std::ranges::find_if(others_, can_leave);
        next == nullptr && other != others_.end())
        next = &*other;
    if (next == nullptr && can_leave(acknowledgement_))
        next = &acknowledgement_;
    if (next == nullptr)
        return false;
    if (next == &numbering_ && numbering_.leaves == 0) { // no two births have one moment
        last_.birth = wire::birth_at(now_us, alone() ? wire::kNoHost : wire::kHosted);
        write_numbers();
    }
    const auto number = static_cast<unsigned>(std::countr_zero(next->waits & ready));
    const Port port = number < ports_ ? port_at(number) : kHostPort;
    next->waits &= ~bit_of(port);
    next->leaves |= bit_of(port);
    if (next == &first()) {
        again_at_us_ = now_us + pause_us_;
        pause_us_ = wire::relay_pause_after(pause_us_, way_);
        acknowledgement_.waits = 0; // the message carries it
    }
    if (next == &first() || next == &acknowledgement_) {
        next->link.acknowledged = last_taken_;
        wire::Shared{next->link}.dropped() = dropped_;
        wire::Shared{next->link}.life() = kept_.life;
    }
    link = next->link;
    link.kind = wire::Kind::host;
    link.port = port;
    packet = next->packet;
    link.packet_bytes = static_cast<std::uint16_t>(packet.size());
    return true;
}

} // namespace mesh
