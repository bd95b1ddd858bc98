// SAYS: node
// LOSES: neighbours of a row
/// Bits of a number that is a power of two.
constexpr unsigned bits_of(unsigned count) { return highest_bit(count); }

NodeId node_of(Shape grid, Cell cell) {
    return node_at(gray(cell.row) << bits_of(grid.columns) | gray(cell.column));
}

Cell cell_of(Shape grid, NodeId node) {
    const unsigned number = index(node);
    return {gray_position(number >> bits_of(grid.columns)), gray(number & (grid.columns - 1))};
}
