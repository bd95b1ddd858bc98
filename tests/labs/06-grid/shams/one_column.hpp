// EARNS: 0
// SAYS: node
NodeId node_of(Shape, Cell cell) { return node_at(gray(cell.row)); }

Cell cell_of(Shape grid, NodeId node) {
    return {gray_position(index(node)) % grid.rows, gray_position(index(node)) / grid.rows};
}
