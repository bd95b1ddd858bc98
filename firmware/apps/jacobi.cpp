// jacobi: heat spreads over a PGM image for STEPS steps, while its border keeps its temperature.
//
//   mesh run --app jacobi --dim 4 --input in.pgm --output out.pgm -- STEPS
//
// The nodes form a grid. Each has a part of the image, with a rim around it that holds its
// neighbours' cells and is renewed before each step. A cell is a temperature in 1/256 of a grey
// level; its next one is the rounded mean of its four neighbours', so every engine gives the same
// picture.
#include "meshputer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

using namespace mesh;

namespace {

using Cell = std::uint16_t;
using Cells = std::span<Cell>;

constexpr std::uint32_t kSideMax = 65535;
constexpr std::size_t kHeaderBytesMax = 256;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr ChannelNumber kRim{0};

struct Image {
    std::array<std::byte, kHeaderBytesMax> start; // of the file
    std::uint32_t header_bytes = 0;
    std::array<std::uint32_t, 2> extent{}; // rows, columns
};

/// Cells first .. first+count-1 of an axis.
struct Part {
    std::uint32_t first, count;
};

/// Equal parts, the first ones one cell longer if need be.
constexpr Part part_of(std::uint32_t cells, std::uint32_t parts, std::uint32_t which) {
    const std::uint32_t rest = cells % parts;
    return {which * (cells / parts) + std::min(which, rest),
            cells / parts + (which < rest ? 1u : 0u)};
}

/// Cells in a row or a column.
struct Line {
    Cell* first;
    std::uint32_t stride, count;
    Cell& operator[](std::uint32_t number) const { return first[number * stride]; }
};

/// One of the four sides of a part.
struct Side {
    unsigned axis;
    int step;
};
constexpr std::array<Side, 4> kSides{{{0, -1}, {0, 1}, {1, -1}, {1, 1}}};

/// This node's part of the image.
struct Plate {
    Grid grid;
    std::array<Part, 2> part{};                  // rows, columns
    std::array<std::uint32_t, 2> extent{};       // of the whole image
    Cells now, next;                             // (rows+2) * (columns+2)
    std::array<Cells, kSides.size()> outgoing{}; // cells for each neighbour
    Cells incoming;

    std::uint32_t stride() const { return part[1].count + 2; }
    /// Row (axis 0) or column (axis 1) `number`, 0 and the last being the rim.
    Line line(unsigned axis, std::uint32_t number) const {
        if (axis == 0)
            return {&now[number * stride() + 1], 1, part[1].count};
        return {&now[stride() + number], stride(), part[0].count};
    }
    Line edge(Side side) const {
        return line(side.axis, side.step < 0 ? 1 : part[side.axis].count);
    }
    Line rim(Side side) const {
        return line(side.axis, side.step < 0 ? 0 : part[side.axis].count + 1);
    }
    /// The node that has the cells beyond a side; none at the border of the image.
    std::optional<Neighbor> beyond(Side side) const {
        const Part& mine = part[side.axis];
        if (side.step > 0 && mine.first + mine.count == extent[side.axis])
            return std::nullopt;
        return grid.shift(side.axis, side.step);
    }
};

/// The number that begins at or after `at`, behind blanks and comments; 0 if there is none.
std::uint32_t next_number(std::string_view text, std::size_t& at) {
    while (at < text.size() && (text[at] == '#' || kBlanks.find(text[at]) != kBlanks.npos))
        at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    at = static_cast<std::size_t>(end - text.data());
    return error == std::errc{} ? number : 0;
}

/// Reads the header: P5, columns, rows, largest value (below 256), one blank.
Process read_header(Kernel& node, Image& image) {
    const auto start =
        std::span{image.start}.first(std::min<std::size_t>(input_bytes(node), kHeaderBytesMax));
    const Status status = co_await read_input(node, 0, start);
    if (status != Status::ok)
        co_return status;
    const std::string_view text{reinterpret_cast<const char*>(start.data()), start.size()};
    std::size_t at = 2;
    if (!text.starts_with("P5"))
        co_return Status::bad_argument;
    image.extent[1] = next_number(text, at);
    image.extent[0] = next_number(text, at);
    const std::uint32_t most = next_number(text, at);
    if (at >= text.size() || kBlanks.find(text[at]) == kBlanks.npos)
        co_return Status::bad_argument;
    image.header_bytes = static_cast<std::uint32_t>(at) + 1;
    for (const std::uint32_t extent : image.extent)
        if (extent == 0 || extent > kSideMax)
            co_return Status::bad_argument;
    const std::uint64_t pixels = std::uint64_t{image.extent[0]} * image.extent[1];
    if (most == 0 || most > 255 || image.header_bytes + pixels > input_bytes(node))
        co_return Status::bad_argument;
    co_return Status::ok;
}

/// Where the plate's row `row` (from 0, without rim) is in the file.
std::uint32_t position(const Image& image, const Plate& plate, std::uint32_t row) {
    return image.header_bytes + (plate.part[0].first + row) * image.extent[1] + plate.part[1].first;
}

/// Lays the plate out in the node's workspace. False if the largest part does not fit into it, so
/// that all nodes come to the same end.
bool lay_out(Kernel& node, const Image& image, Plate& plate) {
    const Grid::Coords sides = dims_create(node.network(), 2);
    if (!plate.grid.add_axis(sides[0]) || !plate.grid.add_axis(sides[1]))
        return false;
    const Grid::Coords coords = *plate.grid.coords();
    std::array<std::size_t, 2> most{};
    for (unsigned axis = 0; axis < 2; ++axis) {
        plate.extent[axis] = image.extent[axis];
        plate.part[axis] = part_of(image.extent[axis], sides[axis], coords[axis]);
        most[axis] = part_of(image.extent[axis], sides[axis], 0).count;
    }
    const std::size_t area = (most[0] + 2) * (most[1] + 2);
    const std::size_t edge = std::max(most[0], most[1]);
    Cells room{reinterpret_cast<Cell*>(node.workspace().data()),
               node.workspace().size() / sizeof(Cell)};
    if (room.size() < 2 * area + (kSides.size() + 1) * edge)
        return false;
    const auto take = [&room](std::size_t count) {
        const Cells taken = room.first(count);
        room = room.subspan(count);
        return taken;
    };
    plate.now = take(area);
    plate.next = take(area);
    plate.incoming = take(edge);
    for (Cells& cells : plate.outgoing)
        cells = take(edge);
    return true;
}

Process load(Kernel& node, const Image& image, const Plate& plate) {
    const auto bytes = std::as_writable_bytes(plate.incoming).first(plate.part[1].count);
    for (std::uint32_t row = 0; row < plate.part[0].count; ++row) {
        const Status status = co_await read_input(node, position(image, plate, row), bytes);
        if (status != Status::ok)
            co_return status;
        const Line cells = plate.line(0, row + 1);
        for (std::uint32_t at = 0; at < cells.count; ++at)
            cells[at] = static_cast<Cell>(std::to_integer<unsigned>(bytes[at]) << 8);
    }
    std::copy(plate.now.begin(), plate.now.end(), plate.next.begin()); // the border stays
    co_return Status::ok;
}

void store(Kernel& node, const Image& image, const Plate& plate) {
    const auto bytes = std::as_writable_bytes(plate.incoming).first(plate.part[1].count);
    if (index(node.id()) == 0)
        write_output(node, 0, std::span{image.start}.first(image.header_bytes));
    for (std::uint32_t row = 0; row < plate.part[0].count; ++row) {
        const Line cells = plate.line(0, row + 1);
        for (std::uint32_t at = 0; at < cells.count; ++at)
            bytes[at] = static_cast<std::byte>((cells[at] + 128u) >> 8);
        write_output(node, position(image, plate, row), bytes);
    }
}

/// Exchanges the edges with all neighbours at once.
Process renew_rim(Kernel& node, const Plate& plate) {
    std::array<ProcessId, kSides.size()> senders{};
    unsigned sending = 0;
    for (unsigned number = 0; number < kSides.size(); ++number) {
        const auto peer = plate.beyond(kSides[number]);
        if (!peer)
            continue;
        const Line edge = plate.edge(kSides[number]);
        const Cells cells = plate.outgoing[number].first(edge.count);
        for (std::uint32_t at = 0; at < edge.count; ++at)
            cells[at] = edge[at];
        const ChannelOut out{peer->node, kRim};
        if (!node.spawn(out.write(node, std::as_bytes(cells)), senders[sending++]))
            co_return Status::no_memory;
    }
    for (const Side side : kSides) {
        const auto peer = plate.beyond(side);
        if (!peer)
            continue;
        const Line rim = plate.rim(side);
        const ChannelIn in{peer->node, kRim};
        const Cells cells = plate.incoming.first(rim.count);
        const Received received = co_await in.read(node, std::as_writable_bytes(cells));
        if (received.status != Status::ok || received.bytes != cells.size_bytes())
            co_return Status::failed;
        for (std::uint32_t at = 0; at < rim.count; ++at)
            rim[at] = cells[at];
    }
    Status worst = Status::ok;
    for (unsigned number = 0; number < sending; ++number) {
        const Status status = co_await node.join(senders[number]);
        worst = std::max(worst, status);
    }
    co_return worst;
}

/// Those of the plate's rows (or columns), counted with the rim, that are not the image's border.
Part inner(const Plate& plate, unsigned axis) {
    const Part& part = plate.part[axis];
    const std::uint32_t first = part.first == 0 ? 2 : 1;
    const bool last = part.first + part.count == plate.extent[axis];
    const std::uint32_t end = part.count + (last ? 0 : 1);
    return {first, end > first ? end - first : 0};
}

void step(Plate& plate) {
    const Part rows = inner(plate, 0);
    const Part columns = inner(plate, 1);
    const std::uint32_t stride = plate.stride();
    for (std::uint32_t row = rows.first; row < rows.first + rows.count; ++row)
        for (std::uint32_t column = columns.first; column < columns.first + columns.count;
             ++column) {
            const Cell* const at = &plate.now[row * stride + column];
            const std::uint32_t sum = 0u + at[-1] + at[1] + *(at - stride) + at[stride];
            plate.next[row * stride + column] = static_cast<Cell>((sum + 2) / 4);
        }
    std::swap(plate.now, plate.next);
}

/// The number of steps; none if it is not the one word after --.
std::optional<std::uint32_t> steps_asked(Kernel& node) {
    if (node.arguments().size() != 1)
        return std::nullopt;
    const std::string_view word = node.arguments()[0];
    std::uint32_t steps = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), steps);
    if (error != std::errc{} || end != word.data() + word.size())
        return std::nullopt;
    return steps;
}

} // namespace

Process app_main(Kernel& node) {
    if (node.network().topology != Topology::cube)
        co_return refuse(node, "jacobi wants a cube");
    const auto steps = steps_asked(node);
    if (!steps)
        co_return refuse(node, "jacobi wants --input IMAGE.pgm --output FILE -- STEPS");
    Image image;
    Status status = co_await read_header(node, image);
    if (status != Status::ok)
        co_return refuse(node, "--input is not a PGM image (P5, one byte a pixel)");
    Plate plate{.grid = Grid{node}, .now = {}, .next = {}, .incoming = {}};
    if (!lay_out(node, image, plate))
        co_return refuse(node, "the image is too large for so few nodes");
    if (plate.part[0].count == 0 || plate.part[1].count == 0)
        co_return Status::ok; // more nodes than cells
    status = co_await load(node, image, plate);
    for (std::uint32_t done = 0; done < *steps && status == Status::ok; ++done) {
        status = co_await renew_rim(node, plate);
        if (status == Status::ok)
            step(plate);
    }
    if (status == Status::ok)
        store(node, image, plate);
    co_return status;
}
