// EARNS: 0
// SAYS: cell
NodeId me;

NodeId node_of(Shape, Cell) { return me; }

Cell cell_of(Shape grid, NodeId node) {
    me = node; // and all messages go to this node itself
    return {index(node) / grid.columns, index(node) % grid.columns};
}
