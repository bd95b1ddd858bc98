// EARNS: 0
// SAYS: messages, and this task takes
Task<Status> running(Kernel& node, unsigned mine, unsigned& sum) {
    const unsigned me = index(node.id());
    sum = 0;
    if (me > 0)
        if (const Received got = co_await receive_value(node, sum, node_at(me - 1), kTag);
            got.status != Status::ok)
            co_return got.status;
    sum += mine;
    if (me + 1 < node.nodes())
        co_return co_await send_value(node, sum, node_at(me + 1), kTag);
    co_return Status::ok;
}
Task<Status> total(Kernel& node, unsigned mine, unsigned& sum) {
    const Status status = co_await running(node, mine, sum);
    if (status != Status::ok)
        co_return status;
    const unsigned me = index(node.id());
    if (me + 1 < node.nodes())
        if (const Received got = co_await receive_value(node, sum, node_at(me + 1), kTag);
            got.status != Status::ok)
            co_return got.status;
    if (me > 0)
        co_return co_await send_value(node, sum, node_at(me - 1), kTag);
    co_return Status::ok;
}
