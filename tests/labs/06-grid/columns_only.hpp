// SAYS: right, but packets crossed
// LOSES: neighbours of a column
/// Bits of a number that is a power of two.
constexpr unsigned bits_of(unsigned count) { return highest_bit(count); }

NodeId node_of(Shape grid, Cell cell) {
    return node_at(cell.row << bits_of(grid.columns) | gray(cell.column));
}

Cell cell_of(Shape grid, NodeId node) {
    const unsigned number = index(node);
    return {number >> bits_of(grid.columns), gray_position(number & (grid.columns - 1))};
}
