// The views that other programs read.
#include "core/base/rules.hpp"
#include "core/multicast.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "process_states.hpp"
#include "views.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 9> kKinds{"?",    "hello", "hello-answer", "data", "ack",
                                                 "host", "idle",  "grant",        "load"};
constexpr double kTicks = static_cast<double>(wire::kTicksPerUnit);

std::string_view kind_of(const Passage& passage) {
    const auto kind = static_cast<std::size_t>(passage.link.kind);
    return passage.is_link && kind < kKinds.size() ? kKinds[kind] : kKinds[0];
}

std::string packet_text(const Passage& passage) {
    const wire::PacketHeader& packet = passage.packet;
    if (!passage.has_packet)
        return {};
    const std::string to = packet.destination == kNoNode ? std::string("all")
                           : packet.destination == kToSet
                               ? std::string("a set")
                               : fmt::format("{}", index(packet.destination));
    const std::string_view rule =
        packet.rule < Rule::kCount ? name(packet.rule) : std::string_view("?");
    return fmt::format("{}->{} message {} at {}, {} bytes, tag {}, {} {}", index(packet.source), to,
                       packet.message, packet.position, packet.payload_bytes, packet.tag, rule,
                       packet.subtree);
}

Json complete_event(const PacketHop& hop, bool at_sender) {
    const Passage& passage = *hop.first;
    return {
        {"ph", "X"},
        {"name", fmt::format("message {} at {}", passage.packet.message, passage.packet.position)},
        {"cat", at_sender ? "out" : "in"},
        {"pid", index(at_sender ? passage.from : passage.to)},
        {"tid", 2 * index(at_sender ? passage.out : passage.in) + (at_sender ? 0 : 1)},
        {"ts", hop.begin},
        {"dur", hop.end - hop.begin},
        {"args", {{"packet", packet_text(passage)}, {"sends", hop.sends}, {"notes", hop.notes}}}};
}

/// An arrow begins and ends within the events of its hop.
Json flow_event(const PacketHop& hop, std::size_t number, bool at_sender) {
    const Passage& passage = *hop.first;
    Json event{{"ph", at_sender ? "s" : "f"},
               {"id", number},
               {"name", "hop"},
               {"cat", "hop"},
               {"pid", index(at_sender ? passage.from : passage.to)},
               {"tid", 2 * index(at_sender ? passage.out : passage.in) + (at_sender ? 0 : 1)},
               {"ts", at_sender ? hop.begin : hop.end}};
    if (!at_sender)
        event["bp"] = "e";
    return event;
}

Json naming_event(std::string_view what, std::uint32_t node, unsigned thread,
                  const std::string& text) {
    return {
        {"ph", "M"}, {"name", what}, {"pid", node}, {"tid", thread}, {"args", {{"name", text}}}};
}

constexpr std::array<std::string_view, 5> kTraceEventWords{"begins", "waits for", "goes on", "ends",
                                                           "prints"};

std::string line_of(const RecordedTraceEvent& event) {
    const bool printed = event.what == TraceEvent::What::printed;
    return fmt::format("{:>14.6f} {:>9} {} {}\n", static_cast<double>(event.time_us) / kTicks,
                       printed ? fmt::format("{}", index(event.node))
                               : fmt::format("{}'{}", index(event.node), event.process),
                       kTraceEventWords[static_cast<std::size_t>(event.what)], cleaned(event.text));
}

/// Processes of the trace have threads behind those of the ports.
unsigned thread_of(const Recording& recording, unsigned process) {
    return 2 * port_count(recording.network) + process;
}

void add_stays(Json& events, const Recording& recording) {
    std::set<std::pair<std::uint32_t, unsigned>> named;
    for (const Stay& stay : stays_of(recording)) {
        const unsigned thread = thread_of(recording, stay.process);
        if (named.emplace(index(stay.node), thread).second)
            events.push_back(naming_event("thread_name", index(stay.node), thread,
                                          fmt::format("process {}", stay.process)));
        events.push_back(
            {{"ph", "X"},
             {"name", stay.waits_for.empty() ? "works" : "waits for " + stay.waits_for},
             {"cat", "process"},
             {"pid", index(stay.node)},
             {"tid", thread},
             {"ts", stay.begin},
             {"dur", stay.end - stay.begin}});
    }
    for (const RecordedTraceEvent& event : recording.trace_events)
        if (event.what == TraceEvent::What::printed)
            events.push_back({{"ph", "i"},
                              {"name", event.text},
                              {"cat", "print"},
                              {"s", "p"},
                              {"pid", index(event.node)},
                              {"tid", thread_of(recording, 0)},
                              {"ts", event.model_time}});
}

} // namespace

std::string json_view(const Scene& scene) {
    Json frames = Json::array();
    for (const Passage& passage : scene.recording.passages)
        frames.push_back({{"time", static_cast<double>(passage.sent_us) / kTicks},
                          {"from", index(passage.from)},
                          {"out", index(passage.out)},
                          {"to", index(passage.to)},
                          {"in", index(passage.in)},
                          {"kind", kind_of(passage)},
                          {"sequence", passage.link.sequence},
                          {"acknowledged", passage.link.acknowledged},
                          {"packet", passage.has_packet ? Json(packet_text(passage)) : Json()},
                          {"note", passage.comment.empty() ? Json() : Json(passage.comment)}});
    return frames.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string text_view(const Scene& scene) {
    std::string text = fmt::format("# {}\n{:>14} {:>9} {:>9} {:<12} {:>5} {:>5}  {}\n",
                                   cleaned(scene.recording.command), "time", "from", "to", "kind",
                                   "seq", "ack", "packet");
    auto event = scene.recording.trace_events.begin();
    const auto add_trace_events = [&](std::size_t passages) {
        for (; event != scene.recording.trace_events.end() && event->passages_before <= passages;
             ++event)
            text += line_of(*event);
    };
    for (std::size_t at = 0; at < scene.recording.passages.size(); ++at) {
        const Passage& passage = scene.recording.passages[at];
        add_trace_events(at);
        fmt::format_to(std::back_inserter(text), "{:>14.6f} {:>9} {:>9} {:<12} {:>5} {:>5}  {}{}\n",
                       static_cast<double>(passage.sent_us) / kTicks,
                       fmt::format("{}/{}", index(passage.from), index(passage.out)),
                       fmt::format("{}/{}", index(passage.to), index(passage.in)), kind_of(passage),
                       passage.link.sequence, passage.link.acknowledged, packet_text(passage),
                       passage.comment.empty() ? ""
                                               : fmt::format(" [{}]", cleaned(passage.comment)));
    }
    add_trace_events(scene.recording.passages.size());
    return text;
}

std::string trace_view(const Scene& scene) {
    Json events = Json::array();
    const unsigned ports = port_count(scene.recording.network);
    for (std::uint32_t node = 0; node < scene.recording.nodes(); ++node) {
        events.push_back(naming_event("process_name", node, 0, fmt::format("node {}", node)));
        for (unsigned port = 0; port < ports; ++port) {
            events.push_back(
                naming_event("thread_name", node, 2 * port, fmt::format("port {} out", port)));
            events.push_back(
                naming_event("thread_name", node, 2 * port + 1, fmt::format("port {} in", port)));
        }
    }
    for (std::size_t at = 0; at < scene.hops.size(); ++at) {
        const PacketHop& hop = scene.hops[at];
        events.push_back(complete_event(hop, true));
        if (!hop.arrived)
            continue;
        events.push_back(complete_event(hop, false));
        events.push_back(flow_event(hop, at, true));
        events.push_back(flow_event(hop, at, false));
    }
    add_stays(events, scene.recording);
    const Json whole{{"displayTimeUnit", "ms"},
                     {"otherData", {{"command", scene.recording.command}}},
                     {"traceEvents", events}};
    return whole.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace mesh::host
