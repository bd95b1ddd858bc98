// SAYS: right, but packets crossed
// LOSES: neighbours of a row
NodeId node_of(Shape grid, Cell cell) {
    return node_at(gray(cell.row * grid.columns + cell.column)); // a path, and no grid
}

Cell cell_of(Shape grid, NodeId node) {
    const unsigned number = gray_position(index(node));
    return {number / grid.columns, number % grid.columns};
}
