// transpose: a matrix with rows and columns exchanged.
//
//   mesh run --app transpose --dim 4 --input MATRIX --output TURNED -- ROWS COLUMNS [BYTES]
//
// The file has the elements row by row, BYTES (4) each. Each node has some rows, cut into one tile
// for each node. In a pass over all dimensions the two nodes of a pair exchange the tiles that
// belong to the other's half; then each tile is turned by itself. (Eklundh's method)
#include "meshputer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

using namespace mesh;

namespace {

constexpr std::uint32_t kNumbersMax = 1u << 20;
constexpr std::uint32_t kElementBytesMax = 1024;

struct Matrix {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t element_bytes = 4;
    std::uint32_t tile_rows = 0; // of a node
    std::uint32_t tile_columns = 0;

    std::size_t row_bytes() const { return std::size_t{columns} * element_bytes; }
    std::size_t turned_row_bytes() const { return std::size_t{rows} * element_bytes; }
    std::size_t tile_bytes() const { return std::size_t{tile_rows} * tile_columns * element_bytes; }
    /// Where an element is in a tile.
    std::size_t in_tile(std::uint32_t row, std::uint32_t column) const {
        return (std::size_t{row} * tile_columns + column) * element_bytes;
    }
};

std::optional<Matrix> matrix_asked(Kernel& node) {
    const auto words = node.arguments();
    std::array<std::uint32_t, 3> numbers{0, 0, 4};
    if (words.size() < 2 || words.size() > numbers.size())
        return std::nullopt;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const char* const end = words[at].data() + words[at].size();
        const auto [last, error] = std::from_chars(words[at].data(), end, numbers[at]);
        if (error != std::errc{} || last != end || numbers[at] == 0 || numbers[at] > kNumbersMax)
            return std::nullopt;
    }
    if (numbers[2] > kElementBytesMax)
        return std::nullopt;
    const std::uint32_t nodes = node.nodes();
    return Matrix{numbers[0], numbers[1], numbers[2], (numbers[0] + nodes - 1) / nodes,
                  (numbers[1] + nodes - 1) / nodes};
}

/// The tiles that a node has after the exchange across `pair.dim`.
std::size_t exchange_tiles(const void* context, const AscendOperands& pair,
                           std::span<std::byte> result) {
    const std::size_t tile = static_cast<const Matrix*>(context)->tile_bytes();
    const std::uint32_t bit = 1u << index(pair.dim);
    const std::size_t tiles = pair.lower.size() / tile;
    for (std::uint32_t number = 0; number < tiles; ++number) {
        const bool high = (number & bit) != 0;
        const auto source = high ? pair.upper : pair.lower;
        const std::uint32_t from = high == pair.is_upper() ? number : number ^ bit;
        std::memcpy(&result[number * tile], &source[from * tile], tile);
    }
    return pair.lower.size();
}

/// Reads this node's rows; `line` has room for one.
Task<Status> load(Kernel& node, const Matrix& matrix, std::span<std::byte> tiles,
                  std::span<std::byte> line) {
    const std::uint32_t first = index(node.id()) * matrix.tile_rows;
    for (std::uint32_t row = 0; row < matrix.tile_rows && first + row < matrix.rows; ++row) {
        const auto at = static_cast<std::uint32_t>((first + row) * matrix.row_bytes());
        const Status status = co_await read_input(node, at, line.first(matrix.row_bytes()));
        if (status != Status::ok)
            co_return status;
        for (std::uint32_t column = 0; column < matrix.columns; ++column) {
            const std::size_t tile = column / matrix.tile_columns * matrix.tile_bytes();
            std::memcpy(&tiles[tile + matrix.in_tile(row, column % matrix.tile_columns)],
                        &line[std::size_t{column} * matrix.element_bytes], matrix.element_bytes);
        }
    }
    co_return Status::ok;
}

/// Writes the rows that were this node's columns.
void store(Kernel& node, const Matrix& matrix, std::span<const std::byte> tiles,
           std::span<std::byte> line) {
    const std::uint32_t first = index(node.id()) * matrix.tile_columns;
    for (std::uint32_t column = 0; column < matrix.tile_columns && first + column < matrix.columns;
         ++column) {
        for (std::uint32_t row = 0; row < matrix.rows; ++row) {
            const std::size_t tile = row / matrix.tile_rows * matrix.tile_bytes();
            std::memcpy(&line[std::size_t{row} * matrix.element_bytes],
                        &tiles[tile + matrix.in_tile(row % matrix.tile_rows, column)],
                        matrix.element_bytes);
        }
        write_output(node, static_cast<std::uint32_t>((first + column) * matrix.turned_row_bytes()),
                     line.first(matrix.turned_row_bytes()));
    }
}

} // namespace

Process app_main(Kernel& node) {
    if (node.network().topology == Topology::star)
        co_return refuse(node, "transpose wants a cube or a UHC");
    const auto matrix = matrix_asked(node);
    if (!matrix)
        co_return refuse(node,
                         "transpose wants --input FILE --output FILE -- ROWS COLUMNS [BYTES]");
    const std::uint64_t total = std::uint64_t{matrix->rows} * matrix->row_bytes();
    if (input_bytes(node) != total)
        co_return refuse(node, "--input has another size than ROWS x COLUMNS x BYTES");
    AscendBlock block{node.network(), node.workspace()};
    const std::uint64_t value_bytes = std::uint64_t{matrix->tile_bytes()} * node.nodes();
    const std::uint64_t line_bytes = std::max(matrix->row_bytes(), matrix->turned_row_bytes());
    if (value_bytes > std::min<std::size_t>(block.room_bytes(), limits::kMessageBytesMax) ||
        line_bytes > block.room_bytes())
        co_return refuse(node, "the matrix is too large for so few nodes");
    const auto value = block.resize(static_cast<std::size_t>(value_bytes));
    Status status = co_await load(node, *matrix, value, block.spare());
    const AscendPlan plan{.oper = {exchange_tiles, &*matrix}};
    if (status == Status::ok)
        status = co_await ascend(node, plan, block);
    if (status == Status::ok)
        store(node, *matrix, block.value(), block.spare());
    co_return status;
}
