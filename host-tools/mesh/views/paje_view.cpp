// The view for ViTE and pj_dump, in Pajé's trace format: an arrow for each hop, and rows of states
// for the ports that send and for processes. States have colours, which ViTE shows; its arrows are
// white whatever the file says.
#include "colors.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "stays.hpp"
#include "views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

constexpr std::string_view kPajeHead =
    R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 1
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeCreateContainer 2
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 3
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajeStartLink 4
%  Time date
%  Type string
%  Container string
%  Value string
%  StartContainer string
%  Key string
%EndEventDef
%EventDef PajeEndLink 5
%  Time date
%  Type string
%  Container string
%  Value string
%  EndContainer string
%  Key string
%EndEventDef
%EventDef PajeDefineStateType 6
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajePushState 7
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePopState 8
%  Time date
%  Type string
%  Container string
%EndEventDef
%EventDef PajeDefineEntityValue 9
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeDefineEventType 10
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeNewEvent 11
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
0 M 0 Mesh
0 N M Node
0 P N Process
0 Q N Port
1 L M N N Packet
6 S P State
6 U Q Sends
10 E N Prints
2 0 mesh M 0 mesh
)";

constexpr std::string_view kWorks = "#0b57b0";
constexpr std::string_view kWaits = "#cccccc";

/// A unit of model time is a second.
double seconds_of(wire::ModelTime ticks) {
    return static_cast<double>(ticks) / static_cast<double>(wire::kTicksPerUnit);
}

/// As a string of the format, which has no way to write a quotation mark.
std::string quoted(const std::string& text) {
    std::string clean = cleaned(text);
    std::replace(clean.begin(), clean.end(), '"', '\'');
    return fmt::format("\"{}\"", clean);
}

/// "#0072b2" as the three parts of the format, 0 to 1.
std::string parts_of(std::string_view color) {
    const auto part = [&](std::size_t at) {
        return std::stoi(std::string(color.substr(at, 2)), nullptr, 16) / 255.0;
    };
    return fmt::format("\"{:.3f} {:.3f} {:.3f}\"", part(1), part(3), part(5));
}

/// A row of a node: process or port, by the letter of its type.
struct PajeRow {
    std::uint32_t node;
    char type;
    unsigned number;

    auto operator<=>(const PajeRow&) const = default;
};

/// Something begins or ends, or is printed.
struct Moment {
    enum class Of { stay, hop, print };

    wire::ModelTime time;
    Of of;
    std::size_t place; // in the list of its kind
    bool is_end;
};

class PajeWriter {
public:
    explicit PajeWriter(const Scene& scene) : scene_(scene) {}

    std::string written() && {
        add_values();
        add_rows();
        wire::ModelTime last = 0;
        for (const Moment& moment : moments()) {
            last = moment.time;
            switch (moment.of) {
            case Moment::Of::stay: add(stays_[moment.place], moment); break;
            case Moment::Of::hop: add(scene_.hops[moment.place], moment); break;
            case Moment::Of::print: add(scene_.recording.trace_events[moment.place]); break;
            }
        }
        for (const PajeRow& row : rows_)
            line("3 {:.6f} {} {}", seconds_of(last), row.type, alias(row));
        for (std::uint32_t node = 0; node < scene_.recording.nodes(); ++node)
            line("3 {:.6f} N n{}", seconds_of(last), node);
        line("3 {:.6f} M mesh", seconds_of(last));
        return std::move(text_);
    }

private:
    template <class... Words>
    void line(fmt::format_string<Words...> format, Words&&... words) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Words>(words)...);
        text_ += '\n';
    }

    static std::string alias(const PajeRow& row) {
        return fmt::format("n{}{}{}", row.node, row.type, row.number);
    }
    static PajeRow row_of(const Stay& stay) { return {index(stay.node), 'P', stay.process}; }
    static PajeRow row_of(const PacketHop& hop) {
        return {index(hop.first->from), 'Q', index(hop.first->out)};
    }

    /// The states that occur, each with its colour: subtrees by number, processes by whether they
    /// work.
    void add_values() {
        std::set<unsigned> subtrees;
        for (const PacketHop& hop : scene_.hops)
            subtrees.insert(hop.first->packet.subtree);
        for (const unsigned subtree : subtrees)
            line("9 u{} U \"subtree {}\" {}", subtree, subtree,
                 parts_of(kColors[subtree % kColors.size()]));
        line("9 s0 S \"works\" {}", parts_of(kWorks));
        for (const Stay& stay : stays_)
            if (!stay.waits_for.empty() &&
                waits_.try_emplace(stay.waits_for, waits_.size() + 1).second)
                line("9 s{} S {} {}", waits_.size(), quoted("waits for " + stay.waits_for),
                     parts_of(kWaits));
    }

    void add_rows() {
        for (const Stay& stay : stays_)
            rows_.insert(row_of(stay));
        for (const PacketHop& hop : scene_.hops)
            rows_.insert(row_of(hop));
        for (std::uint32_t node = 0; node < scene_.recording.nodes(); ++node)
            line("2 0 n{0} N mesh \"node {0}\"", node);
        for (const PajeRow& row : rows_)
            line("2 0 {} {} n{} \"{}{}{}\"", alias(row), row.type, row.node, row.node,
                 row.type == 'P' ? '\'' : '/', row.number);
    }

    /// In the order of time; those of one row as they were, so that a state ends before the next
    /// one begins.
    std::vector<Moment> moments() const {
        std::vector<Moment> moments;
        const auto both = [&](Moment::Of of, std::size_t place, const auto& span) {
            moments.push_back({span.begin, of, place, false});
            moments.push_back({span.end, of, place, true});
        };
        for (std::size_t place = 0; place < stays_.size(); ++place)
            both(Moment::Of::stay, place, stays_[place]);
        for (std::size_t place = 0; place < scene_.hops.size(); ++place)
            both(Moment::Of::hop, place, scene_.hops[place]);
        const auto& events = scene_.recording.trace_events;
        for (std::size_t place = 0; place < events.size(); ++place)
            if (events[place].what == TraceEvent::What::printed)
                moments.push_back({events[place].model_time, Moment::Of::print, place, false});
        std::stable_sort(moments.begin(), moments.end(),
                         [](const Moment& a, const Moment& b) { return a.time < b.time; });
        return moments;
    }

    void add(const Stay& stay, const Moment& moment) {
        if (moment.is_end)
            line("8 {:.6f} S {}", seconds_of(moment.time), alias(row_of(stay)));
        else
            line("7 {:.6f} S {} s{}", seconds_of(moment.time), alias(row_of(stay)),
                 stay.waits_for.empty() ? 0 : waits_.at(stay.waits_for));
    }

    void add(const PacketHop& hop, const Moment& moment) {
        const Passage& passage = *hop.first;
        const double time = seconds_of(moment.time);
        line("{} {:.6f} L mesh m{} n{} {}", moment.is_end ? 5 : 4, time, passage.packet.message,
             index(moment.is_end ? passage.to : passage.from), moment.place);
        if (moment.is_end)
            line("8 {:.6f} U {}", time, alias(row_of(hop)));
        else
            line("7 {:.6f} U {} u{}", time, alias(row_of(hop)), passage.packet.subtree);
    }

    void add(const RecordedTraceEvent& event) {
        line("11 {:.6f} E n{} {}", seconds_of(event.model_time), index(event.node),
             quoted(event.text));
    }

    const Scene& scene_;
    std::vector<Stay> stays_ = stays_of(scene_.recording);
    std::string text_{kPajeHead};
    std::map<std::string, std::size_t> waits_; // what is waited for, by the number of its state
    std::set<PajeRow> rows_;
};

} // namespace

std::string paje_view(const Scene& scene) { return PajeWriter(scene).written(); }

} // namespace mesh::host
