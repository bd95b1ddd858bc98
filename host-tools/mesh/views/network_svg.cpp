#include "network_svg.hpp"

#include "host-tools/mesh/rig/naming.hpp"
#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace mesh::host {

namespace {

constexpr double kScale = 56; // of a unit of the layout, in pixels
constexpr double kMargin = 0.75;
constexpr double kRadius = 0.24;
constexpr double kTitle = 0.5;
constexpr std::size_t kLargeLabel = 3; // signs that fit into a node in the usual size
constexpr std::size_t kLabelMax = 5;   // and in the small one
constexpr double kWideMax = 30;        // of a row of panels, in units
/// The colours of levels, from the root outward; light enough for black figures, and of falling
/// lightness, so that they differ without colour too.
constexpr std::array<std::string_view, 8> kLevels{"#ffffff", "#ffe9a8", "#ffc98a", "#ffa7a0",
                                                  "#d9a5d8", "#a9b5ee", "#86c5d8", "#8fc79a"};

struct Frame {
    Point least;
    double wide = 0;
    double high = 0;
};

Frame frame_of(std::span<const Point> places) {
    Point least = places.front();
    Point most = places.front();
    for (const Point& place : places) {
        least = {std::min(least.x, place.x), std::min(least.y, place.y)};
        most = {std::max(most.x, place.x), std::max(most.y, place.y)};
    }
    return {{least.x - kMargin, least.y - kMargin - kTitle},
            most.x - least.x + 2 * kMargin,
            most.y - least.y + 2 * kMargin + kTitle};
}

class Panel {
public:
    Panel(Network network, std::span<const Point> places, std::string& text)
        : network_(network),
          places_(places),
          text_(text) {}

    void draw(const Drawing& drawing, const Frame& frame) {
        fmt::format_to(out(), "<text class=\"title\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n",
                       frame.least.x + 0.2, frame.least.y + kTitle, drawing.title);
        for (std::uint32_t node = 0; node < places_.size(); ++node)
            for (PortSequence ports = PortSequence::ascending(out_ports(network_, node_at(node)));
                 !ports.empty();) {
                const std::uint32_t other = index(neighbor(network_, node_at(node), ports.pop()));
                if (node < other || network_.topology == Topology::uhc)
                    line("link", node, other);
            }
        for (const Drawing::Edge& edge : drawing.edges)
            line("edge", edge.from, edge.to);
        for (std::uint32_t node = 0; node < places_.size(); ++node)
            draw_node(drawing, node);
    }

private:
    std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

    /// Ends at the rim of the other node, where the arrow's head is to be seen.
    void line(std::string_view kind, std::uint32_t from, std::uint32_t to) {
        const Point a = places_[from];
        const Point b = places_[to];
        const double part = (kRadius + 0.04) / std::hypot(b.x - a.x, b.y - a.y);
        fmt::format_to(out(), "<path class=\"{}\" d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\"/>\n", kind,
                       a.x, a.y, b.x + (a.x - b.x) * part, b.y + (a.y - b.y) * part);
    }

    void draw_node(const Drawing& drawing, std::uint32_t node) {
        const Point at = places_[node];
        const int level = drawing.level[node];
        const std::string_view fill =
            level < 0 ? std::string_view("#eeeeee")
                      : kLevels[static_cast<std::size_t>(level) % kLevels.size()];
        fmt::format_to(out(),
                       "<g id=\"node{0}\"><title>{0}</title><circle cx=\"{1:.2f}\" cy=\"{2:.2f}\" "
                       "r=\"{3}\" fill=\"{4}\"/>",
                       node, at.x, at.y, kRadius, fill);
        if (level == 0)
            fmt::format_to(out(), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"none\"/>",
                           at.x, at.y, kRadius + 0.06);
        const bool captioned = !drawing.caption.empty() && !drawing.caption[node].empty();
        const std::string label = name_of(node);
        fmt::format_to(out(), "<text{} x=\"{:.2f}\" y=\"{:.2f}\">{}</text>",
                       label.size() > kLargeLabel ? " class=\"long\"" : "", at.x,
                       at.y + (captioned ? 0 : 0.07), label);
        if (captioned)
            fmt::format_to(out(), "<text class=\"caption\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>",
                           at.x, at.y + 0.16, drawing.caption[node]);
        text_ += "</g>\n";
    }

    /// The name that a rule works on, the address or the permutation; the number where that name
    /// has no room.
    std::string name_of(std::uint32_t node) const {
        std::string label = label_of(network_, node_at(node));
        return label.size() <= kLabelMax ? label : fmt::format("{}", node);
    }

    Network network_;
    std::span<const Point> places_;
    std::string& text_;
};

constexpr std::string_view kStyle =
    "<style>text{font:0.2px "
    "sans-serif;text-anchor:middle}.title{font-size:0.32px;text-anchor:start}"
    ".long{font-size:0.14px}.caption{font-size:0.15px;fill:#444}circle{stroke:#222;stroke-width:0."
    "03}"
    ".link{fill:none;stroke:#ccc;stroke-width:0.02}"
    ".edge{fill:none;stroke:#0b57b0;stroke-width:0.05;marker-end:url(#tip)}</style>\n"
    "<defs><marker id=\"tip\" viewBox=\"0 0 4 4\" refX=\"3.6\" refY=\"2\" markerWidth=\"4\" "
    "markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0L4 2L0 4z\" fill=\"#0b57b0\"/></marker>"
    "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";

} // namespace

std::string network_svg(Network network, std::span<const Drawing> drawings) {
    const std::vector<Point> places = places_of(network);
    const Frame frame = frame_of(places);
    const auto fit = static_cast<std::size_t>(std::max(1.0, kWideMax / frame.wide));
    const std::size_t columns = std::min(fit, drawings.size());
    const std::size_t rows = (drawings.size() + columns - 1) / columns;
    const double wide = frame.wide * static_cast<double>(columns);
    const double high = frame.high * static_cast<double>(rows);
    std::string text = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.2f} "
                                   "{:.2f}\" width=\"{:.0f}\" height=\"{:.0f}\">\n",
                                   wide, high, wide * kScale, high * kScale);
    text += kStyle;
    for (std::size_t at = 0; at < drawings.size(); ++at) {
        const std::size_t row = at / columns;
        fmt::format_to(std::back_inserter(text), "<g transform=\"translate({:.2f} {:.2f})\">\n",
                       frame.wide * static_cast<double>(at % columns) - frame.least.x,
                       frame.high * static_cast<double>(row) - frame.least.y);
        Panel(network, places, text).draw(drawings[at], frame);
        text += "</g>\n";
    }
    return text + "</svg>\n";
}

} // namespace mesh::host
