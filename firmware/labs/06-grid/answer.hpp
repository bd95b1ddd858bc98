// Lab 6: which node has which cell of the grid. As it stands rows lie one after the other.

/// The node that has a cell.
NodeId node_of(Shape grid, Cell cell) { return node_at(cell.row * grid.columns + cell.column); }

/// The cell that a node has: the inverse of node_of().
Cell cell_of(Shape grid, NodeId node) {
    return {index(node) / grid.columns, index(node) % grid.columns};
}
