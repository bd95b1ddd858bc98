#include "one_cable.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/node_names.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host_frame.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace mesh::host {

using wire::RelayTag;

namespace {

/// Messages to nodes that are under way at a time.
constexpr std::size_t kFlyingMax = 4;
/// Between two address assignments: by then nodes that start anew have done so.
constexpr std::uint64_t kAssignmentUs = 250'000;
/// The neighbour to which a node other than 0 sends its frames for the host.
NodeId next_to_host(Network network, NodeId node) {
    Route way = route(network, node, kNoPort, {.source = node, .destination = NodeId{0}});
    return neighbor(network, node, way.ports.pop());
}

} // namespace

OneCable::OneCable(Network network, Rules rules, Holder& holder)
    : rules_(std::move(rules)),
      rto_us_(wire::relay_rto_us(1 + diameter(network), rules_.frame_us)),
      holder_(holder),
      nodes_(node_count(network)),
      news_at_us_(holder.now_us()) {
    numbering_.run = std::random_device{}();
    numbering_.from = index(kNoNode);
    numbering_.topology = network.topology;
    numbering_.dim = network.dim;
}

void OneCable::send(NodeId to, std::span<const std::byte> frame) {
    Node& node = nodes_[index(to)];
    node.waiting.emplace_back(frame.begin(), frame.end());
    if (node.waiting.size() == 1 && node.named)
        speak_to(index(to));
}

/// Something waits for a node whose life is known, and nothing was under way to it.
void OneCable::speak_to(std::uint32_t node) {
    nodes_[node].pause_us = rto_us_;
    nodes_[node].unheard = false;
    turns_.push_back(node);
    launch();
}

/// Writes the head of a frame, and sends it.
void OneCable::put(const wire::LinkHeader& link, Bytes& frame) {
    wire::LinkHeader head = link;
    head.kind = wire::Kind::host;
    head.port = kHostPort;
    head.packet_bytes = static_cast<std::uint16_t>(frame.size() - wire::kHeadBytes);
    wire::write_head(head, kHostMac, std::span(frame).first<wire::kHeadBytes>());
    holder_.to_cable(frame);
}

void OneCable::assign_addresses() {
    ++numbering_.assignment;
    numbering_.birth = wire::birth_at(holder_.now_us(), wire::kHosted);
    Bytes frame = make_host_frame(kNoNode, static_cast<wire::HostTag>(RelayTag::number),
                                  wire::bytes_of(numbering_));
    put({}, frame);
    assign_at_us_ = holder_.now_us() + kAssignmentUs;
}

void OneCable::take_next_way(Node& node) const {
    const Network network{numbering_.topology, numbering_.dim};
    node.way = wire::way_after(node.way, path_count(network));
}

void OneCable::note_named(std::uint32_t number) {
    Node& node = nodes_[number];
    news_at_us_ = holder_.now_us();
    if (std::exchange(node.named, true))
        return;
    ++numbered_;
    if (!node.waiting.empty())
        speak_to(number);
}

void OneCable::acknowledge(std::uint32_t number) {
    Node& node = nodes_[number];
    Bytes frame = make_host_frame(node_at(number), static_cast<wire::HostTag>(RelayTag::nothing));
    node.told = node.taken;
    wire::LinkHeader link{.acknowledged = node.taken};
    wire::Way{link}.number() = node.way;
    wire::Shared{link}.life() = node.life;
    put(link, frame);
}

void OneCable::heard(std::span<std::byte> frame) {
    wire::LinkHeader link;
    wire::PacketHeader header;
    if (wire::read_head(frame, frame.size(), link) != wire::Parse::ok ||
        link.kind != wire::Kind::host)
        return;
    const auto packet = frame.subspan(wire::kHeadBytes, link.packet_bytes);
    if (wire::read_packet(packet, header) != wire::Parse::ok)
        return;
    if (header.tag == static_cast<std::uint16_t>(RelayTag::who))
        assign_addresses();
    const std::uint32_t from = index(header.source);
    if (from >= nodes_.size())
        return;
    if (header.tag == static_cast<std::uint16_t>(wire::HostTag::fault)) {
        if (!std::exchange(nodes_[from].stopped, true))
            holder_.crash_record(node_at(from), frame);
        return;
    }
    Node& node = nodes_[from];
    const bool names = header.tag == static_cast<std::uint16_t>(RelayTag::named);
    const std::uint16_t life = wire::Shared{link}.life();
    if (names)
        note_life(from, life);
    if (life != node.life || !(names || node.named))
        return; // late on its way: its node was reset in between
    node.dropped = std::max(node.dropped, wire::Shared{link}.dropped());
    on_acknowledged(from, link.acknowledged);
    node.told = 0;
    if (link.sequence == wire::message_after(node.taken)) {
        node.taken = link.sequence;
        if (names) {
            check_image(from, packet.subspan(wire::kPacketHeaderBytes));
            note_named(from);
        } else {
            holder_.from_node(node_at(from), frame);
        }
    } else if (link.sequence != 0 && link.sequence == node.taken) {
        take_next_way(node); // the acknowledgement was lost
    }
    if (link.sequence != 0 && link.sequence == node.taken && node.told != node.taken)
        acknowledge(from);
}

std::uint64_t OneCable::dropped() const {
    std::uint64_t all = 0;
    for (const Node& node : nodes_)
        all += node.dropped_before + node.dropped;
    return all;
}

/// A node has said its name, and its life. In another one it has forgotten all, also which message
/// it is to hear next. What waits for it is for the new life, as by a cable of its own. Its name of
/// the life before may be late. Lives have no order: one that begins with power is a moment.
void OneCable::note_life(std::uint32_t number, std::uint16_t life) {
    Node& node = nodes_[number];
    if (node.named && life != node.life && life != node.life_before) {
        std::deque<Bytes> waiting = std::move(node.waiting);
        const std::uint16_t before = node.life;
        began_anew(node_at(number));
        node.life_before = before;
        node.waiting = std::move(waiting);
    }
    if (!node.named)
        node.life = life;
}

void OneCable::check_image(std::uint32_t node, std::span<const std::byte> text) const {
    if (text_of(text) != rules_.made_for)
        refuse("node {} has an image made for '{}', not for '{}': build it and load it again; all "
               "nodes of a mesh are of one --board",
               node, text_of(text), rules_.made_for);
}

void OneCable::forget(NodeId node) {
    nodes_[index(node)].waiting.clear();
    std::erase(flying_, index(node));
    std::erase(turns_, index(node));
    note_named(index(node));
}

void OneCable::began_anew(NodeId number) {
    Node& node = nodes_[index(number)];
    forget(number);
    const std::uint32_t dropped = node.dropped_before + node.dropped;
    node = Node{};
    node.dropped_before = dropped;
    --numbered_;
}

void OneCable::on_acknowledged(std::uint32_t number, std::uint16_t acknowledged) {
    Node& node = nodes_[number];
    if (node.waiting.empty() || acknowledged != node.number)
        return;
    std::erase(flying_, number);
    std::erase(turns_, number); // it was to be sent again
    node.waiting.pop_front();
    node.number = wire::message_after(node.number);
    if (!node.waiting.empty())
        speak_to(number);
    else
        launch();
}

void OneCable::launch() {
    while (flying_.size() < kFlyingMax && !turns_.empty()) {
        const std::uint32_t node = turns_.front();
        turns_.pop_front();
        fly(node);
    }
}

void OneCable::fly(std::uint32_t number) {
    Node& node = nodes_[number];
    node.told = node.taken;
    flying_.push_back(number);
    node.again_at_us = holder_.now_us() + node.pause_us;
    node.pause_us = wire::relay_pause_after(node.pause_us, node.way);
    wire::LinkHeader link{.sequence = node.number, .acknowledged = node.taken};
    wire::Way{link}.number() = node.way;
    wire::Shared{link}.life() = node.life;
    put(link, node.waiting.front());
}

/// RunError if nodes are still silent half of the time-out after the last other node has said who
/// it is: code that waits for all nodes needs the whole time-out.
void OneCable::look_for_silent() const {
    if (numbered_ == 0 || holder_.now_us() - news_at_us_ < rules_.identify_timeout_us / 2)
        return;
    const Network network{numbering_.topology, numbering_.dim};
    NodeNumbers first;
    NodeNumbers behind; // others that are silent
    for (std::uint32_t node = 1; node < nodes_.size(); ++node)
        if (!nodes_[node].named)
            (!nodes_[index(next_to_host(network, node_at(node)))].named ? behind : first)
                .push_back(node);
    throw RunError(fmt::format(
        "{}: no answer, though others answer{}", name_nodes(first),
        behind.empty()
            ? ""
            : fmt::format("; and, behind them by the usual way, {}", name_nodes(behind))));
}

/// True if a message has gone all ways and was not acknowledged: nodes may have been reset, and if
/// all were, none knows a number that it could tell the others.
bool OneCable::unheard() const {
    return std::ranges::any_of(flying_,
                               [this](std::uint32_t node) { return nodes_[node].unheard; });
}

void OneCable::tick() {
    const std::uint64_t now = holder_.now_us();
    if (numbered_ < nodes_.size())
        look_for_silent();
    if (now >= assign_at_us_ && (numbered_ < nodes_.size() || unheard()))
        assign_addresses();
    const std::vector<std::uint32_t> flying = flying_;
    for (const std::uint32_t node : flying)
        if (nodes_[node].again_at_us <= now) {
            std::erase(flying_, node);
            take_next_way(nodes_[node]);
            nodes_[node].unheard |= nodes_[node].way == 0;
            turns_.push_back(node);
        }
    launch();
}

} // namespace mesh::host
