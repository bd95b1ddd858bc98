// The page: its own HTML, style and script (page/), and the run as JSON between them. This code
// works out all that takes the firmware's rules (trees, neighbours, why); the page works out the
// pictures.
#include "core/base/rules.hpp"
#include "core/multicast.hpp"
#include "core/schedules/ascend_steps.hpp"
#include "formula_legend.hpp"
#include "host-tools/mesh/explain/why.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "kernel/base/limits.hpp"
#include "layout.hpp"
#include "process_states.hpp"
#include "views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
#include "page.inc"
};

constexpr std::size_t kHopsKept = 20'000;
constexpr std::uint32_t kNodesExplained = 256;
constexpr double kPrecision = 100; // of places

std::string_view file(std::string_view name) {
    return std::find_if(std::begin(kFiles), std::end(kFiles),
                        [name](const auto& entry) { return entry.first == name; })
        ->second;
}

/// Units of time, whole where they are.
Json units(wire::ModelTime ticks) {
    if (ticks % wire::kTicksPerUnit == 0)
        return ticks / wire::kTicksPerUnit;
    return static_cast<double>(ticks) / static_cast<double>(wire::kTicksPerUnit);
}

/// The tree that the run used; nothing if it used none.
std::optional<Rule> tree_in(const Recording& recording) {
    const auto entry = recording.plan.find("tree");
    if (entry == recording.plan.end() || !entry->is_string())
        return std::nullopt;
    const auto tree = entry->get<std::string>();
    for (unsigned number = 0; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const auto rule = static_cast<Rule>(number);
        if (rule != Rule::unicast && rule != Rule::disjoint && name(rule) == tree)
            return rule;
    }
    return std::nullopt;
}

/// Of a plan without one, as of an op that has none: Schedule::kCount.
Schedule schedule_in(const Recording& recording) {
    const auto found = recording.plan.find("schedule");
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        if (found != recording.plan.end() && *found == name(static_cast<Schedule>(number)))
            return static_cast<Schedule>(number);
    return Schedule::kCount;
}

NodeId root_in(const Recording& recording) {
    const std::uint32_t root = recording.plan.value("root", 0u);
    return node_at(root < recording.nodes() ? root : 0);
}

/// Texts that many nodes share, each once, by its place.
struct Words {
    Json list = Json::array();
    std::map<std::string, std::size_t> place;

    Json places_of(const std::vector<std::string>& texts) {
        Json places = Json::array();
        for (const std::string& text : texts) {
            const auto [known, fresh] = place.try_emplace(text, list.size());
            if (fresh)
                list.push_back(text);
            places.push_back(known->second);
        }
        return places;
    }
};

double rounded(double place) { return std::round(place * kPrecision) / kPrecision; }

Json rounded(const std::vector<Point>& places) {
    Json rows = Json::array();
    for (const Point& place : places)
        rows.push_back({rounded(place.x), rounded(place.y)});
    return rows;
}

Json subtree_json(const Recording& recording, Rule rule, unsigned subtree, Words& words) {
    const Network network = recording.network;
    const NodeId root = root_in(recording);
    Json parents = Json::array();
    Json below = Json::array();
    Json reasons = Json::array();
    std::vector<std::vector<std::uint32_t>> lists;
    for (std::uint32_t at = 0; at < recording.nodes(); ++at) {
        const NodeId node = node_at(at);
        const Port up = parent(network, rule, subtree, root, node);
        parents.push_back(up == kNoPort ? Json(-1) : Json(index(neighbor(network, node, up))));
        std::vector<std::uint32_t>& list = lists.emplace_back();
        for (PortSequence ports = children(network, rule, subtree, root, node); !ports.empty();)
            list.push_back(index(neighbor(network, node, ports.pop())));
        below.push_back(list);
        if (recording.nodes() <= kNodesExplained)
            reasons.push_back(words.places_of(why_lines(network, rule, subtree, root, node)));
    }
    return {{"index", subtree},
            {"parent", parents},
            {"children", below},
            {"places", rounded(places_by_level(index(root), lists))},
            {"why", reasons}};
}

Json trees_json(const Recording& recording, Words& words) {
    Json trees = Json::array();
    const auto rule = tree_in(recording);
    if (!rule || recording.nodes() > 4 * kNodesExplained)
        return trees;
    const unsigned first = first_subtree(recording.network, *rule);
    const unsigned count = subtree_count(recording.network, *rule);
    for (unsigned subtree = first; subtree < first + count; ++subtree)
        trees.push_back(subtree_json(recording, *rule, subtree, words));
    return trees;
}

/// The further fields of a send: route, sender and target, or the seed that draws these.
void add_messages(ExchangePlan& plan, const Recording& recording) {
    const Json& head = recording.plan;
    if (const auto route = head.find("route"); route != head.end() && route->is_string())
        plan.route = rule_by_name(recording.network.topology, route->get<std::string>())
                         .value_or(Rule::unicast); // ecube
    plan.root = root_in(recording);
    if (const auto target = head.find("target"); target != head.end() && target->is_number())
        plan.target = node_at(std::min(target->get<std::uint32_t>(), recording.nodes() - 1));
    plan.messages = head.value("messages", 1u);
    plan.seed = head.value("seed", std::uint64_t{1});
}

/// The text of each node for the steps of an op of exchanges; empty for other ops.
Json exchanges_json(const Recording& recording, Words& words) {
    Json nodes = Json::array();
    const auto op = recording.plan.value("op", std::string{});
    ExchangePlan plan{op,
                      recording.network,
                      port_model_of(recording.plan.value("ports", std::string{"all"})),
                      tree_in(recording).value_or(Rule::sbt),
                      schedule_in(recording),
                      recording.plan.value("copies", 1u)};
    if (op == "send")
        add_messages(plan, recording);
    if (!has_exchange_words(plan) || recording.nodes() > kNodesExplained)
        return nodes;
    for (std::uint32_t node = 0; node < recording.nodes(); ++node)
        nodes.push_back(words.places_of(why_exchange(plan, node_at(node))));
    return nodes;
}

Json nodes_json(const Recording& recording) {
    Json nodes = Json::array();
    const std::vector<Point> places = places_of(recording.network);
    for (std::uint32_t node = 0; node < recording.nodes(); ++node)
        nodes.push_back({rounded(places[node].x), rounded(places[node].y),
                         label_of(recording.network, node_at(node))});
    return nodes;
}

/// [node, port, node] of each cable once; of the uhc in its direction.
Json links_json(Network network) {
    Json links = Json::array();
    for (std::uint32_t node = 0; node < node_count(network); ++node)
        for (PortSequence ports = PortSequence::ascending(out_ports(network, node_at(node)));
             !ports.empty();) {
            const Port port = ports.pop();
            const std::uint32_t other = index(neighbor(network, node_at(node), port));
            if (node < other || network.topology == Topology::uhc)
                links.push_back({node, index(port), other});
        }
    return links;
}

/// Hops as rows of numbers, with tables for the values that they share.
struct HopTables {
    Json hops = Json::array(); // from, port, to, begin, end, subtree, packet, sends, came, notes
    // Source, message, position, bytes, destination; -1: all nodes, -2: a set of them.
    Json packets = Json::array();
    Json notes = Json::array({""});
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t>
        packet_at;
    std::map<std::string, std::size_t> note_at{{"", 0}};

    void add(const PacketHop& hop) {
        const Passage& passage = *hop.first;
        const wire::PacketHeader& packet = passage.packet;
        const auto [known, fresh] = packet_at.try_emplace(
            {index(packet.source), packet.message, packet.position, index(packet.destination)},
            packets.size());
        const Json to = packet.destination == kNoNode  ? Json(-1)
                        : packet.destination == kToSet ? Json(-2)
                                                       : Json(index(packet.destination));
        if (fresh)
            packets.push_back(
                {index(packet.source), packet.message, packet.position, packet.payload_bytes, to});
        const auto [note, new_note] = note_at.try_emplace(hop.notes, notes.size());
        if (new_note)
            notes.push_back(hop.notes);
        hops.push_back({index(passage.from), index(passage.out), index(passage.to),
                        units(hop.begin), units(hop.end), packet.subtree, known->second, hop.sends,
                        hop.arrived ? 1 : 0, note->second});
    }
};

/// Packet buffers that the run's longest paths need, and the number that is enough for all
/// processes.
Json pool_json(const Recording& recording) {
    const unsigned links = height(recording.network, tree_in(recording).value_or(Rule::unicast));
    return {{"needed", links + 1},
            {"enough", limits::pool_buffers_min(links, height(recording.network, Rule::disjoint),
                                                limits::kReceiversMax)}};
}

/// Stays of processes as rows (node, process, begin, end, what it waits for or ""), and printed
/// lines (node, time, text); of very many, the first.
Json processes_json(const Recording& recording) {
    Json rows = Json::array();
    Json lines = Json::array();
    const std::vector<Stay> stays = stays_of(recording);
    for (const Stay& stay : stays)
        if (rows.size() < kHopsKept)
            rows.push_back({index(stay.node), stay.process, units(stay.begin), units(stay.end),
                            stay.waits_for});
    for (const RecordedTraceEvent& event : recording.trace_events)
        if (event.what == TraceEvent::What::printed && lines.size() < kHopsKept)
            lines.push_back({index(event.node), units(event.model_time), event.text});
    return {{"stays", rows}, {"lines", lines}, {"all_stays", stays.size()}};
}

/// [letter, meaning, value or null] of the formula.
Json letters_json(const Recording& recording) {
    Json rows = Json::array();
    for (const Letter& letter : letters_of(recording, tree_in(recording), root_in(recording)))
        rows.push_back(
            {letter.name, letter.meaning, letter.value ? Json(*letter.value) : Json(nullptr)});
    return rows;
}

/// The run as JSON. If hops are many, the page has only every nth of them, but all of the critical
/// path, unless these are too many themselves.
Json run_json(const Scene& scene) {
    const Recording& recording = scene.recording;
    const CriticalPath path = critical_path(scene.hops);
    const std::size_t every = std::max<std::size_t>(1, thinning(scene.hops.size(), kHopsKept));
    std::vector<bool> on_critical(scene.hops.size());
    for (const std::size_t place : path.hops)
        on_critical[place] = true;
    HopTables tables;
    Json critical = Json::array();
    const bool all_critical = path.hops.size() <= kHopsKept / 2;
    for (std::size_t at = 0; at < scene.hops.size(); ++at) {
        if (at % every != 0 && !(all_critical && on_critical[at]))
            continue;
        if (on_critical[at])
            critical.push_back(tables.hops.size());
        tables.add(scene.hops[at]);
    }
    Words words;
    const Json trees = trees_json(recording, words);
    const Json exchanges = exchanges_json(recording, words);
    return {{"command", recording.command},
            {"plan", recording.plan},
            {"letters", letters_json(recording)},
            {"results", recording.results},
            {"cut_short", recording.cut_short},
            {"all_hops", scene.hops.size()},
            {"every", every},
            {"directed", recording.network.topology == Topology::uhc},
            {"nodes", nodes_json(recording)},
            {"links", links_json(recording.network)},
            {"loads", loads_of(recording, scene.hops)},
            {"trees", trees},
            {"exchanges", exchanges},
            {"words", words.list},
            {"pool", pool_json(recording)},
            {"critical", critical},
            {"critical_hops", path.hops.size()},
            {"critical_time", units(path.on_links)},
            {"critical_waits", units(path.waits)},
            {"hops", tables.hops},
            {"packets", tables.packets},
            {"notes", tables.notes},
            {"processes", processes_json(recording)}};
}

/// JSON that may stand in a script element: no text in it ends the element.
std::string embedded(const Json& json) {
    std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
        text.replace(at, 1, "\\u003c");
    return text;
}

void fill(std::string& page, std::string_view mark, std::string_view text) {
    page.replace(page.find(mark), mark.size(), text);
}

} // namespace

std::string html_view(const Scene& scene, const Scene* beside) {
    std::string page(file("page.html"));
    fill(page, "@STYLE@", file("page.css"));
    std::string scripts;
    for (const std::string_view name :
         {"model.js", "ask.js", "base.js", "network.js", "diagrams.js", "words.js", "main.js"})
        scripts += fmt::format("<script>\n{}</script>\n", file(name));
    fill(page, "@SCRIPTS@", scripts);
    // Last, from the end of the page: a run may have the other marks in it.
    fill(page, "@RUN2@", beside == nullptr ? "null" : embedded(run_json(*beside)));
    fill(page, "@RUN@", embedded(run_json(scene)));
    return page;
}

} // namespace mesh::host
