#include "process_states.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mesh::host {

namespace {

/// The last moment of an event that takes model time: a mesh at rest still exchanges control
/// frames.
std::uint64_t last_moment(const Recording& recording) {
    std::uint64_t last = 0;
    for (const Passage& passage : recording.passages)
        if (passage.has_packet && !passage.packet.is_timeless())
            last = std::max<std::uint64_t>(last, passage.link.model_time);
    for (const RecordedTraceEvent& event : recording.trace_events)
        last = std::max(last, event.model_time);
    return last;
}

} // namespace

std::vector<Stay> stays_of(const Recording& recording) {
    std::vector<Stay> stays;
    std::map<std::pair<NodeId, std::uint8_t>, Stay> open;
    const auto close = [&](Stay& stay, std::uint64_t end) {
        stay.end = std::max(stay.begin, end);
        stays.push_back(stay);
    };
    for (const RecordedTraceEvent& event : recording.trace_events) {
        if (event.what == TraceEvent::What::printed)
            continue;
        const auto key = std::pair(event.node, event.process);
        if (const auto known = open.find(key); known != open.end())
            close(known->second, event.model_time);
        open.erase(key);
        if (event.what != TraceEvent::What::ended)
            open[key] = {event.node, event.process, event.model_time, event.model_time,
                         event.what == TraceEvent::What::blocked ? event.text : std::string{}};
    }
    for (auto& [key, stay] : open)
        close(stay, last_moment(recording));
    return stays;
}

} // namespace mesh::host
