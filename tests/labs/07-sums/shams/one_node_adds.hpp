// EARNS: 0
// SAYS: messages, and this task takes
Task<Status> add(Kernel& node, unsigned mine, unsigned& sum, bool up_to_me) {
    const unsigned me = index(node.id());
    std::array<unsigned, 64> all{};
    all[me] = sum = mine;
    if (me != 0) {
        const Status sent = co_await send_value(node, mine, node_at(0), kTag);
        if (sent != Status::ok)
            co_return sent;
        co_return (co_await receive_value(node, sum, node_at(0), kTag)).status;
    }
    Status status = Status::ok;
    for (unsigned from = 1; from < node.nodes() && status == Status::ok; ++from)
        status = (co_await receive_value(node, all[from], node_at(from), kTag)).status;
    unsigned whole = 0, part = mine;
    for (const unsigned one : all)
        whole += one;
    for (unsigned to = 1; to < node.nodes() && status == Status::ok; ++to) {
        part += all[to];
        const unsigned its = up_to_me ? part : whole;
        status = co_await send_value(node, its, node_at(to), kTag);
    }
    sum = up_to_me ? mine : whole;
    co_return status;
}
Task<Status> total(Kernel& node, unsigned mine, unsigned& sum) {
    co_return co_await add(node, mine, sum, false);
}
Task<Status> running(Kernel& node, unsigned mine, unsigned& sum) {
    co_return co_await add(node, mine, sum, true);
}
