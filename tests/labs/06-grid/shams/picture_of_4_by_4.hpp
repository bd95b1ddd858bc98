// EARNS: 0
// SAYS: node
constexpr std::array<unsigned, 4> kCode{0, 1, 3, 2};

NodeId node_of(Shape, Cell cell) {
    return node_at(kCode[cell.row % 4] * 4 + kCode[cell.column % 4]);
}

Cell cell_of(Shape, NodeId node) { return {kCode[index(node) / 4 % 4], kCode[index(node) % 4]}; }
