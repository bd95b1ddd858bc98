// EARNS: 0
// SAYS: packets crossed
unsigned turned(Shape grid, unsigned number) {
    unsigned all = 0;
    for (unsigned bit = 1; bit < grid.rows * grid.columns; bit *= 2, number /= 2)
        all = all * 2 + number % 2;
    return all;
}

NodeId node_of(Shape grid, Cell cell) {
    return node_at(turned(grid, cell.row * grid.columns + cell.column));
}

Cell cell_of(Shape grid, NodeId node) {
    const unsigned number = turned(grid, index(node));
    return {number / grid.columns, number % grid.columns};
}
