#include "hops.hpp"

#include "core/network.hpp"
#include "host-tools/mesh/capture/pcapng.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace mesh::host {

namespace {

/// The key that tells a packet on a link from all others.
auto identity_of(const Passage& passage) {
    const wire::PacketHeader& packet = passage.packet;
    return std::tuple(passage.from, passage.out, packet.source, packet.destination, packet.message,
                      packet.position, packet.subtree, packet.tag, packet.service, packet.rule,
                      packet.flags);
}

bool is_sent_again(const Passage& passage) {
    return passage.comment.find(pcapng::comment::kRetransmission) != std::string::npos ||
           passage.comment.find(pcapng::comment::kAfterRefusal) != std::string::npos;
}

/// How long a packet occupies a link; a part of an external packet takes none of its own.
wire::ModelTime duration_of(const Recording& recording, const wire::PacketHeader& packet) {
    if (packet.is_part())
        return 0;
    const double ticks = static_cast<double>(wire::kTicksPerUnit);
    return static_cast<wire::ModelTime>(
        std::llround((recording.tau() + recording.tc() * packet.moved_bytes()) * ticks));
}

void add_note(PacketHop& hop, const std::string& note) {
    if (!note.empty())
        hop.notes += (hop.notes.empty() ? "" : ", ") + note;
}

/// Hops by a node and the time at which they end there or leave it.
using Calendar = std::unordered_map<std::uint64_t, std::vector<std::size_t>>;

std::uint64_t key_of(NodeId node, wire::ModelTime time) {
    return (std::uint64_t{index(node)} << 44) ^ time;
}

bool is_same_packet(const PacketHop& one, const PacketHop& other) {
    const wire::PacketHeader& a = one.first->packet;
    const wire::PacketHeader& b = other.first->packet;
    return std::tie(a.source, a.destination, a.message, a.position, a.subtree) ==
           std::tie(b.source, b.destination, b.message, b.position, b.subtree);
}

/// The place of the hop after which `hop` could begin; none if it began of itself.
std::size_t cause_of(const std::vector<PacketHop>& hops, const PacketHop& hop, const Calendar& came,
                     const Calendar& left) {
    const NodeId node = hop.first->from;
    if (const auto here = came.find(key_of(node, hop.begin)); here != came.end()) {
        for (const std::size_t place : here->second)
            if (is_same_packet(hops[place], hop))
                return place;
        return here->second.front();
    }
    if (const auto here = left.find(key_of(node, hop.begin)); here != left.end()) {
        for (const std::size_t place : here->second)
            if (hops[place].first->out == hop.first->out)
                return place;
        return here->second.front();
    }
    return hops.size();
}

/// The last hop that came to its node before `hop` began: the node waited, or computed.
std::size_t latest_before(const std::vector<PacketHop>& hops, const PacketHop& hop) {
    std::size_t found = hops.size();
    for (std::size_t place = 0; place < hops.size(); ++place) {
        const PacketHop& other = hops[place];
        const bool here =
            other.first->to == hop.first->from || other.first->from == hop.first->from;
        if (here && other.end < hop.begin && other.begin < hop.begin && other.arrived &&
            (found == hops.size() || other.end > hops[found].end))
            found = place;
    }
    return found;
}

} // namespace

std::vector<PacketHop> hops_of(const Recording& recording) {
    std::vector<PacketHop> hops;
    std::map<decltype(identity_of(Passage{})), std::size_t> latest;
    for (const Passage& passage : recording.passages) {
        if (!passage.has_packet || passage.packet.is_timeless())
            continue;
        const auto identity = identity_of(passage);
        const auto known = latest.find(identity);
        if (known != latest.end() && is_sent_again(passage)) {
            PacketHop& hop = hops[known->second];
            ++hop.sends;
            hop.arrived = hop.arrived || passage.arrived;
            add_note(hop, passage.comment);
            continue;
        }
        PacketHop hop;
        hop.first = &passage;
        hop.end = passage.link.model_time;
        hop.begin = hop.end - std::min(hop.end, duration_of(recording, passage.packet));
        hop.arrived = passage.arrived;
        add_note(hop, passage.comment);
        latest[identity] = hops.size();
        hops.push_back(std::move(hop));
    }
    return hops;
}

CriticalPath critical_path(const std::vector<PacketHop>& hops) {
    CriticalPath path;
    Calendar came;
    Calendar left;
    std::size_t at = hops.size();
    for (std::size_t place = 0; place < hops.size(); ++place) {
        const PacketHop& hop = hops[place];
        if (hop.begin == hop.end)
            continue;
        left[key_of(hop.first->from, hop.end)].push_back(place);
        if (!hop.arrived)
            continue;
        came[key_of(hop.first->to, hop.end)].push_back(place);
        if (at == hops.size() || hop.end > hops[at].end)
            at = place;
    }
    while (at < hops.size()) {
        const PacketHop& hop = hops[at];
        path.hops.push_back(at);
        path.on_links += hop.end - hop.begin;
        std::size_t before = hop.begin == 0 ? hops.size() : cause_of(hops, hop, came, left);
        if (before == hops.size() && hop.begin != 0)
            before = latest_before(hops, hop);
        path.waits += before < hops.size() ? hop.begin - hops[before].end : hop.begin;
        at = before;
    }
    std::reverse(path.hops.begin(), path.hops.end());
    return path;
}

std::vector<std::vector<std::uint32_t>> loads_of(const Recording& recording,
                                                 const std::vector<PacketHop>& hops) {
    std::vector loads(recording.nodes(), std::vector<std::uint32_t>(port_count(recording.network)));
    for (const PacketHop& hop : hops)
        ++loads[index(hop.first->from)][index(hop.first->out)];
    return loads;
}

} // namespace mesh::host
