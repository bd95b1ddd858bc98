// EARNS: 0
// SAYS: which this check forbids
Task<Status> sort(Kernel& node, unsigned& key) {
    std::array<unsigned, kNodesMax> all{};
    const Status status = co_await allgather_value(node, key, std::span{all}.first(node.nodes()));
    std::sort(all.begin(), all.begin() + node.nodes());
    key = all[index(node.id())];
    co_return status;
}
