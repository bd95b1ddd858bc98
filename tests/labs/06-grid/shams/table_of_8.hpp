// EARNS: 0
// SAYS: node
constexpr std::array<unsigned, 16> kCode{0, 1, 3, 2, 6, 7, 5, 4};
constexpr std::array<unsigned, 16> kPlace{0, 1, 3, 2, 7, 6, 4, 5};

NodeId node_of(Shape grid, Cell cell) {
    return node_at(kCode[cell.row] * grid.columns + kCode[cell.column]);
}

Cell cell_of(Shape grid, NodeId node) {
    return {kPlace[index(node) / grid.columns], kPlace[index(node) % grid.columns]};
}
