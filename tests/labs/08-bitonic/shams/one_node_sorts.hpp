// EARNS: 0
// SAYS: messages, and this task takes
Task<Status> sort(Kernel& node, unsigned& key) {
    std::array<unsigned, kNodesMax> all{};
    if (index(node.id()) != 0) {
        const Status sent = co_await send_value(node, key, node_at(0), kTag);
        if (sent != Status::ok)
            co_return sent;
        co_return (co_await receive_value(node, key, node_at(0), kTag)).status;
    }
    all[0] = key;
    Status status = Status::ok;
    for (unsigned from = 1; from < node.nodes() && status == Status::ok; ++from)
        status = (co_await receive_value(node, all[from], node_at(from), kTag)).status;
    std::sort(all.begin(), all.begin() + node.nodes());
    for (unsigned to = 1; to < node.nodes() && status == Status::ok; ++to)
        status = co_await send_value(node, all[to], node_at(to), kTag);
    key = all[0];
    co_return status;
}
