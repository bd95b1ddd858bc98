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

/// Of a unit of the layout, in pixels. Everything is written in pixels: programs that take an svg
/// apart (rsvg-convert, what LaTeX uses) garble letters of less than one.
constexpr double kScale = 56;
constexpr double kMargin = 0.75;
constexpr double kRadius = 0.24;
constexpr double kTitle = 0.5;
constexpr double kFigure = 0.075;      // the width of a sign in a wide node
constexpr std::size_t kLargeLabel = 3; // signs that fit into a node in the usual size
constexpr std::size_t kLabelMax = 5;   // and in the small one
constexpr double kWideMax = 30;        // of a row of panels, in units
/// The colours of levels, from the root outward; light enough for black figures, and of falling
/// lightness, so that they differ without colour too, and for eyes that do not tell red from green.
constexpr std::array<std::string_view, 9> kLevels{"#ffffff", "#ffe9a8", "#ffc98a",
                                                  "#ffa7a0", "#d9a5d8", "#76aefa",
                                                  "#8ea2a6", "#82a276", "#52a246"};

/// Colours repeat, but no node is white like the root; see caption_of().
std::string_view fill_of(int level) {
    if (level < 0)
        return "#eeeeee";
    const auto number = static_cast<std::size_t>(level);
    return kLevels[number == 0 ? 0 : 1 + (number - 1) % (kLevels.size() - 1)];
}

/// The text under a node's name: that of the drawing, or "L9", the level, where the node's colour
/// is that of a level nearer to the root.
std::string caption_of(const Drawing& drawing, std::uint32_t node) {
    if (!drawing.caption.empty())
        return drawing.caption[node];
    const int level = drawing.level[node];
    const bool repeats = level >= static_cast<int>(kLevels.size()) && drawing.branch.empty();
    return repeats ? fmt::format("L{}", level) : std::string{};
}

struct Frame {
    Point least;
    double wide = 0;
    double high = 0;
};

Frame frame_of(std::span<const Point> places, double title) {
    Point least = places.front();
    Point most = places.front();
    for (const Point& place : places) {
        least = {std::min(least.x, place.x), std::min(least.y, place.y)};
        most = {std::max(most.x, place.x), std::max(most.y, place.y)};
    }
    return {{least.x - kMargin, least.y - kMargin - title},
            most.x - least.x + 2 * kMargin,
            most.y - least.y + 2 * kMargin + title};
}

class Panel {
public:
    Panel(Network network, std::span<const Point> places, std::string& text)
        : network_(network),
          places_(places),
          text_(text) {}

    void draw(const Drawing& drawing, const Frame& frame) {
        if (!drawing.title.empty())
            fmt::format_to(out(), "<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                           px(frame.least.x + 0.2), px(frame.least.y + kTitle), drawing.title);
        for (std::uint32_t node = 0; node < places_.size() && drawing.places.empty(); ++node)
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
    static double px(double units) { return units * kScale; }

    /// Ends at the rim of the other node, where the arrow's head is to be seen.
    void line(std::string_view kind, std::uint32_t from, std::uint32_t to) {
        const Point a = places_[from];
        const Point b = places_[to];
        const double part = (kRadius + 0.04) / std::hypot(b.x - a.x, b.y - a.y);
        fmt::format_to(out(), "<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", kind,
                       px(a.x), px(a.y), px(b.x + (a.x - b.x) * part),
                       px(b.y + (a.y - b.y) * part));
    }

    void draw_node(const Drawing& drawing, std::uint32_t node) {
        const Point at = places_[node];
        const bool by_branch = !drawing.branch.empty();
        const bool root = drawing.level[node] == 0;
        const std::string_view fill =
            fill_of(by_branch && !root ? drawing.branch[node] + 1 : drawing.level[node]);
        const std::string label = name_of(node, !drawing.places.empty());
        fmt::format_to(out(), "<g id=\"node{0}\"><title>{0}</title>", node);
        if (label.size() <= kLabelMax)
            draw_round(at, fill, root);
        else
            draw_wide(at, fill, root, kFigure * static_cast<double>(label.size()) + 0.1);
        const std::string caption = caption_of(drawing, node);
        const bool captioned = !caption.empty();
        fmt::format_to(out(), "<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                       label.size() > kLargeLabel ? " class=\"long\"" : "", px(at.x),
                       px(at.y + (captioned                    ? 0
                                  : label.size() > kLargeLabel ? 0.05
                                                               : 0.07)),
                       label);
        if (captioned) // a level in black, since its colour may be a dark one
            fmt::format_to(out(), "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                           drawing.caption.empty() ? "long" : "caption", px(at.x), px(at.y + 0.16),
                           caption);
        text_ += "</g>\n";
    }

    void draw_round(Point at, std::string_view fill, bool root) {
        const auto circle = [&](double radius, std::string_view inside) {
            fmt::format_to(out(), "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>",
                           px(at.x), px(at.y), px(radius), inside);
        };
        circle(kRadius, fill);
        if (root)
            circle(kRadius + 0.06, "none");
    }

    void draw_wide(Point at, std::string_view fill, bool root, double wide) {
        const auto box = [&](double more, std::string_view inside) {
            fmt::format_to(out(),
                           "<rect class=\"wide\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                           "height=\"{:.1f}\" rx=\"6\" fill=\"{}\"/>",
                           px(at.x - wide / 2 - more), px(at.y - 0.15 - more), px(wide + 2 * more),
                           px(0.3 + 2 * more), inside);
        };
        box(0, fill);
        if (root)
            box(0.06, "none");
    }

    /// The name that a rule works on, the address or the permutation; the number where that name
    /// has no room.
    std::string name_of(std::uint32_t node, bool has_room) const {
        std::string label = label_of(network_, node_at(node));
        return has_room || label.size() <= kLabelMax ? label : fmt::format("{}", node);
    }

    Network network_;
    std::span<const Point> places_;
    std::string& text_;
};

/// Of this drawing alone, also where it stands in a page with others.
constexpr std::string_view kStyle =
    "<style>.mesh text{font:11px sans-serif;text-anchor:middle}"
    ".mesh .title{font-size:18px;text-anchor:start}.mesh .long{font-size:8px}"
    ".mesh .caption{font-size:8px;fill:#444}"
    ".mesh circle,.mesh .wide{stroke:#222;stroke-width:1.6}"
    ".mesh .link{fill:none;stroke:#ccc;stroke-width:1.1}"
    ".mesh .edge{fill:none;stroke:#0b57b0;stroke-width:2.6;marker-end:url(#tip)}</style>\n"
    "<defs><marker id=\"tip\" viewBox=\"0 0 4 4\" refX=\"3.6\" refY=\"2\" markerWidth=\"4\" "
    "markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0L4 2L0 4z\" fill=\"#0b57b0\"/></marker>"
    "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";

} // namespace

std::string network_svg(Network network, std::span<const Drawing> drawings) {
    const std::vector<Point> usual = places_of(network);
    const auto places = [&](const Drawing& drawing) -> std::span<const Point> {
        return drawing.places.empty() ? usual : drawing.places;
    };
    const bool titled = std::any_of(drawings.begin(), drawings.end(),
                                    [](const Drawing& drawing) { return !drawing.title.empty(); });
    std::vector<Frame> frames;
    Frame most;
    for (const Drawing& drawing : drawings) {
        frames.push_back(frame_of(places(drawing), titled ? kTitle : 0));
        most.wide = std::max(most.wide, frames.back().wide);
        most.high = std::max(most.high, frames.back().high);
    }
    const auto fit = static_cast<std::size_t>(std::max(1.0, kWideMax / most.wide));
    const std::size_t columns = std::min(fit, drawings.size());
    const std::size_t rows = (drawings.size() + columns - 1) / columns;
    std::string text = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"mesh\" "
                                   "viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                                   "height=\"{1:.0f}\">\n",
                                   most.wide * static_cast<double>(columns) * kScale,
                                   most.high * static_cast<double>(rows) * kScale);
    text += kStyle;
    for (std::size_t at = 0; at < drawings.size(); ++at) {
        const std::size_t row = at / columns;
        fmt::format_to(std::back_inserter(text), "<g transform=\"translate({:.1f} {:.1f})\">\n",
                       (most.wide * static_cast<double>(at % columns) - frames[at].least.x) *
                           kScale,
                       (most.high * static_cast<double>(row) - frames[at].least.y) * kScale);
        Panel(network, places(drawings[at]), text).draw(drawings[at], frames[at]);
        text += "</g>\n";
    }
    return text + "</svg>\n";
}

} // namespace mesh::host
