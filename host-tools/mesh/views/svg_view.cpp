#include "views.hpp"

#include "colors.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mesh::host {

namespace {

constexpr std::size_t kHopsDrawn = 20'000;
constexpr double kLeft = 90;
constexpr double kTop = 40;
constexpr double kWide = 900;

/// Below the rows, round numbers of units: twenty at most.
void add_time_axis(std::string& text, wire::ModelTime last, double y) {
    constexpr std::size_t kNumbersMax = 20;
    const wire::ModelTime units = last / wire::kTicksPerUnit;
    wire::ModelTime step = 1;
    for (unsigned turn = 0; units / step > kNumbersMax; ++turn) // 1, 2, 5, 10, ...
        step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
    for (wire::ModelTime unit = 0; unit <= units; unit += step)
        fmt::format_to(std::back_inserter(text),
                       "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       kLeft + kWide * static_cast<double>(unit * wire::kTicksPerUnit) /
                                   static_cast<double>(last),
                       y, unit);
}

} // namespace

std::string svg_view(const Scene& scene) {
    const Recording& recording = scene.recording;
    wire::ModelTime last = 1;
    for (const PacketHop& hop : scene.hops)
        last = std::max(last, hop.end);
    const double row = recording.nodes() > 64 ? 8 : 16;
    const double high = kTop + row * recording.nodes() + 30;
    const auto x = [last](wire::ModelTime time) {
        return kLeft + kWide * static_cast<double>(time) / static_cast<double>(last);
    };
    const auto y = [row](NodeId node) { return kTop + row * (index(node) + 0.5); };
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kLeft + kWide + 30, high);
    const auto out = std::back_inserter(text);
    const std::size_t every = std::max<std::size_t>(1, thinning(scene.hops.size(), kHopsDrawn));
    fmt::format_to(out, "<text x=\"{}\" y=\"18\">{} nodes, {} hops, model time {}{}</text>\n",
                   kLeft, recording.nodes(), scene.hops.size(),
                   static_cast<double>(last) / static_cast<double>(wire::kTicksPerUnit),
                   every == 1 ? "" : fmt::format("; one hop of {} is drawn", every));
    for (std::uint32_t node = 0; node < recording.nodes(); ++node) {
        const double at = y(node_at(node));
        fmt::format_to(out,
                       "<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                       kLeft, at, kLeft + kWide, at);
        if (row > 10 || node % 4 == 0)
            fmt::format_to(out, "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} ({})</text>\n",
                           kLeft - 6, at + 4, node, label_of(recording.network, node_at(node)));
    }
    add_time_axis(text, last, high - 12);
    for (std::size_t at = 0; at < scene.hops.size(); at += every) {
        const PacketHop& hop = scene.hops[at];
        fmt::format_to(
            out,
            "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"{}><title>{} to {}, message {} "
            "at {}{}{}</title></path>\n",
            x(hop.begin), y(hop.first->from), x(hop.end), y(hop.first->to),
            kColors[hop.first->packet.subtree % kColors.size()],
            hop.notes.empty() ? "" : " stroke-dasharray=\"3 2\" stroke-width=\"2\"",
            index(hop.first->from), index(hop.first->to), hop.first->packet.message,
            hop.first->packet.position, hop.notes.empty() ? "" : ": ", hop.notes);
    }
    return text + "</svg>\n";
}

} // namespace mesh::host
