// SAYS: and
// LOSES: neighbours of a row
NodeId node_of(Shape, Cell) { return node_at(0); }

Cell cell_of(Shape, NodeId) { return {}; }
