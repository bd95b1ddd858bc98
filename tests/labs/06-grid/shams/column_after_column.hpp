// EARNS: 0
// SAYS: packets crossed
NodeId node_of(Shape grid, Cell cell) { return node_at(cell.column * grid.rows + cell.row); }

Cell cell_of(Shape grid, NodeId node) { return {index(node) % grid.rows, index(node) / grid.rows}; }
