#include "fault_plan.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/nearest.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/common/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::uint32_t kDelayMaxUs = 1'000'000;
constexpr std::uint64_t kDrawsMax = 100'000;

[[noreturn]] void refuse_entry(std::string_view text, std::string_view what) {
    refuse("--faults: '{}': {}", text, what);
}

/// One that is too large for this network may be right in another.
[[noreturn]] void refuse_number(std::optional<std::uint32_t> number, std::string_view entry,
                                std::string_view what, std::uint32_t count) {
    refuse(number ? kCombination : Refusal::value, "--faults: '{}': {} are 0 to {}", entry, what,
           count - 1);
}

/// One that no fault is called.
[[noreturn]] void refuse_kind(std::string_view entry, std::string_view word) {
    std::vector<std::string_view> names;
    std::string forms;
    for (const FaultKind* kind : fault_kinds()) {
        names.push_back(kind->name());
        for (const FaultForm& form : kind->forms())
            forms += fmt::format(" {}", form.form);
    }
    refuse("--faults: '{}': no such fault; {}allowed:{}, each with @T or @random, and xK", entry,
           did_you_mean(word.substr(0, word.find('=')), names), forms);
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Cuts `text` at the last `mark`; the part behind it, if there is one.
std::optional<std::string_view> take_tail(std::string_view& text, char mark) {
    const auto at = text.rfind(mark);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::string_view tail = trim(text.substr(at + 1));
    text = trim(text.substr(0, at));
    return tail;
}

/// Reads one entry: KIND:ARGUMENT[@T|@random] [xK].
class Reader {
public:
    Reader(std::string_view entry, Network network) : entry_(entry), network_(network) {}

    FaultSpec read() {
        std::string_view rest = entry_;
        take_draws(rest);
        take_moment(rest);
        const auto colon = rest.find(':');
        const std::string_view word = trim(rest.substr(0, colon));
        spec_.kind = fault_named(word);
        if (spec_.kind == nullptr || colon == std::string_view::npos)
            refuse_kind(entry_, word);
        argument(trim(rest.substr(colon + 1)));
        if (spec_.draws && !spec_.kind->has_amount() && !random_)
            refuse_entry(entry_, "xK draws, so it goes with 'random'");
        return spec_;
    }

private:
    void take_draws(std::string_view& rest) {
        const auto space = rest.find_last_of(" \t");
        if (space == std::string_view::npos || rest[space + 1] != 'x')
            return;
        const auto draws = number_in<std::uint32_t>(rest.substr(space + 2));
        if (!draws || *draws == 0 || *draws > kDrawsMax)
            refuse_entry(entry_, "xK needs a number from 1 on");
        spec_.draws = draws;
        rest = trim(rest.substr(0, space));
    }

    void take_moment(std::string_view& rest) {
        const auto moment = take_tail(rest, '@');
        if (!moment)
            return;
        spec_.at_random = *moment == "random";
        const auto after = number_in<std::uint64_t>(*moment);
        if (!spec_.at_random && !after)
            refuse_entry(entry_, "@ needs a number of packets or 'random'");
        spec_.after = after.value_or(0);
    }

    void argument(std::string_view text) {
        switch (spec_.kind->argument()) {
        case FaultArgument::probability:
            amount(text, 1.0, "needs a probability from 0 to 1");
            break;
        case FaultArgument::microseconds:
            amount(text, kDelayMaxUs, "needs microseconds, 0 to 1000000");
            break;
        case FaultArgument::cable: cable(text); break;
        case FaultArgument::dimension: spec_.port = port(text); break;
        case FaultArgument::node: spec_.node = node(text); break;
        }
    }

    void amount(std::string_view text, double most, std::string_view needs) {
        const auto value = number_in<double>(text);
        if (!value || !(*value >= 0 && *value <= most))
            refuse_entry(entry_, needs);
        spec_.amount = *value;
    }

    void cable(std::string_view text) {
        if (text == "random") {
            random_ = true;
            return;
        }
        const auto mark = text.find_first_of("/>");
        if (mark == std::string_view::npos)
            refuse_entry(entry_, "a cable is NODE/PORT, or NODE>PORT for its way out only");
        spec_.one_way = text[mark] == '>';
        if (spec_.one_way && spec_.kind->undoes() != nullptr)
            refuse_entry(entry_, "a cable is mended in the directions in which it was cut");
        spec_.node = node(text.substr(0, mark));
        if (!spec_.node)
            refuse_entry(entry_, "a random cable is 'random' alone, without a port");
        spec_.port = port(text.substr(mark + 1));
        const auto sends = [this] {
            return ((out_ports(network_, *spec_.node) >> index(*spec_.port)) & 1u) != 0;
        };
        if (!spec_.one_way && !sends()) // a link of one direction is named from its far end
            spec_.node = neighbor(network_, *spec_.node, *spec_.port);
        if (!sends())
            refuse_entry(entry_, "that port sends nothing");
    }

    std::optional<NodeId> node(std::string_view text) {
        if (text == "random") {
            random_ = true;
            return std::nullopt;
        }
        const auto value = number_in<std::uint32_t>(text);
        if (!value || *value >= node_count(network_))
            refuse_number(value, entry_, "nodes", node_count(network_));
        return node_at(*value);
    }

    Port port(std::string_view text) {
        const auto value = number_in<std::uint32_t>(text);
        if (!value || *value >= port_count(network_))
            refuse_number(value, entry_, "ports", port_count(network_));
        return port_at(*value);
    }

    std::string_view entry_;
    Network network_;
    FaultSpec spec_;
    bool random_ = false;
};

std::vector<std::string> file_lines(std::string_view path) {
    const std::string text =
        read_text(std::string(path), "--faults", "give @FILE with one fault a line");
    std::vector<std::string> lines;
    for (const std::string_view line : lines_in(text))
        lines.emplace_back(line.substr(0, line.find('#')));
    return lines;
}

/// Draws the targets and moments of a plan.
class Planner {
public:
    Planner(Network network, NodeId root, std::uint64_t packets, std::uint64_t seed)
        : network_(network),
          root_(root),
          packets_(std::max<std::uint64_t>(packets, 1)),
          rng_(seed, ~std::uint64_t{0}) {
        plan_.seed = seed;
    }

    void add(const FaultSpec& spec) {
        if (spec.kind->of_each_cable() != nullptr) {
            add_dimension(spec);
            return;
        }
        for (std::uint32_t draw = 0; draw < spec.draws.value_or(1); ++draw)
            add_one(spec);
    }

    FaultPlan finish() {
        std::stable_sort(plan_.incidents.begin(), plan_.incidents.end(),
                         [](const Incident& a, const Incident& b) { return a.after < b.after; });
        return std::move(plan_);
    }

private:
    void add_one(const FaultSpec& spec) {
        if (spec.kind->undoes() != nullptr) {
            add_mending(spec);
            return;
        }
        Incident incident = base(spec);
        if (spec.kind->has_amount() ? spec.draws.has_value() : !spec.node)
            spec.kind->argument() == FaultArgument::node ? draw_node(incident)
                                                         : draw_cable(incident);
        plan_.incidents.push_back(incident);
    }

    Incident base(const FaultSpec& spec) {
        Incident incident;
        incident.after = spec.at_random ? rng_.below(packets_) : spec.after;
        incident.kind = spec.kind;
        incident.node = spec.node.value_or(kNoNode);
        incident.port = spec.port.value_or(kNoPort);
        incident.one_way = spec.one_way;
        incident.amount = spec.amount;
        return incident;
    }

    void add_dimension(const FaultSpec& spec) {
        const Incident common = base(spec);
        for (std::uint32_t node = 0; node < node_count(network_); ++node) {
            const std::uint32_t ports = out_ports(network_, node_at(node));
            if (((ports >> index(*spec.port)) & 1u) == 0 ||
                !first_time(node_at(node), *spec.port, dimension_))
                continue;
            Incident incident = common;
            incident.kind = spec.kind->of_each_cable();
            incident.node = node_at(node);
            plan_.incidents.push_back(incident);
        }
    }

    /// Adds a fault that undoes another one: the last one before it on the same cable that nothing
    /// undoes yet, or one drawn from all of these.
    void add_mending(const FaultSpec& spec) {
        std::vector<std::size_t> cuts; // places in the plan
        for (std::size_t place = 0; place < plan_.incidents.size(); ++place) {
            const Incident& incident = plan_.incidents[place];
            if (incident.kind == spec.kind->undoes() && mended_.count(place) == 0 &&
                (!spec.node ||
                 cable(incident.node, incident.port) == cable(*spec.node, *spec.port)))
                cuts.push_back(place);
        }
        if (cuts.empty())
            refuse("--faults: {}: it is not cut, so it cannot be mended; add cut: before it",
                   spec.node ? fmt::format("mend:{}/{}", index(*spec.node), index(*spec.port))
                             : std::string("mend:random"));
        const std::size_t drawn = cuts.size() == 1 || spec.node ? 0 : rng_.below(cuts.size());
        const std::size_t place = spec.node ? last_before(cuts, spec) : cuts[drawn];
        const Incident& before = plan_.incidents[place];
        Incident incident = before;
        incident.kind = spec.kind;
        incident.one_way = false;
        incident.after = spec.after;
        if (spec.at_random)
            incident.after =
                before.after + rng_.below(packets_ - std::min(packets_ - 1, before.after));
        if (incident.after < before.after)
            refuse(
                "--faults: mend:{}/{}@{}: the cable is cut after {} packets only, so mend it later",
                index(before.node), index(before.port), incident.after, before.after);
        mended_.insert(place);
        plan_.incidents.push_back(incident);
    }

    /// The last of these cuts before the mending, or the first one if all come after it.
    std::size_t last_before(const std::vector<std::size_t>& cuts, const FaultSpec& spec) const {
        std::size_t last = cuts.front();
        for (const std::size_t place : cuts)
            if (spec.at_random || plan_.incidents[place].after <= spec.after)
                last = place;
        return last;
    }

    /// One number for a cable, from either end.
    std::uint64_t cable(NodeId node, Port port) const {
        const std::uint32_t far = index(neighbor(network_, node, port));
        const std::uint64_t end = std::min(index(node), far);
        return (end << 8) | index(port);
    }

    /// Notes a cable; false if it was noted before, from either end.
    bool first_time(NodeId node, Port port, std::set<std::uint64_t>& seen) {
        return seen.insert(cable(node, port)).second;
    }

    void draw_cable(Incident& incident) {
        const std::uint32_t nodes = node_count(network_);
        for (unsigned attempt = 0; attempt < kAttemptsMax; ++attempt) {
            incident.node = node_at(static_cast<std::uint32_t>(rng_.below(nodes)));
            incident.port = port_at(static_cast<unsigned>(rng_.below(port_count(network_))));
            const auto ports = out_ports(network_, incident.node);
            if (((ports >> index(incident.port)) & 1u) != 0 &&
                first_time(incident.node, incident.port, cables_))
                return;
        }
        refuse(kCombination, "--faults: more random cables asked for than the network has");
    }

    void draw_node(Incident& incident) {
        const std::uint32_t nodes = node_count(network_);
        for (unsigned attempt = 0; attempt < kAttemptsMax; ++attempt) {
            incident.node = node_at(static_cast<std::uint32_t>(rng_.below(nodes)));
            if (incident.node != root_ && drawn_nodes_.insert(index(incident.node)).second)
                return;
        }
        refuse(kCombination, "--faults: more random nodes asked for than the {} besides the root",
               nodes - 1);
    }

    static constexpr unsigned kAttemptsMax = 10'000;

    Network network_;
    NodeId root_;
    std::uint64_t packets_;
    Rng rng_;
    FaultPlan plan_;
    std::set<std::uint64_t> cables_;
    std::set<std::size_t> mended_; // cuts, by their places in the plan
    std::set<std::uint64_t> dimension_;
    std::set<std::uint32_t> drawn_nodes_;
};

} // namespace

std::vector<FaultSpec> parse_faults(std::string_view text, Network network) {
    std::vector<std::string> lines;
    if (!text.empty() && text.front() == '@')
        lines = file_lines(text.substr(1));
    else
        lines.emplace_back(text);
    std::vector<FaultSpec> specs;
    for (const std::string& line : lines) {
        std::string_view rest = line;
        while (!rest.empty()) {
            const auto comma = rest.find(',');
            const std::string_view entry = trim(rest.substr(0, comma));
            rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
            if (!entry.empty())
                specs.push_back(Reader(entry, network).read());
        }
    }
    return specs;
}

FaultPlan plan_faults(const std::vector<FaultSpec>& specs, Network network, NodeId root,
                      std::uint64_t packets, std::uint64_t seed) {
    Planner planner(network, root, packets, seed);
    for (const bool undo : {false, true}) // what is to be undone is known then
        for (const FaultSpec& spec : specs)
            if ((spec.kind->undoes() != nullptr) == undo)
                planner.add(spec);
    return planner.finish();
}

} // namespace mesh::host
