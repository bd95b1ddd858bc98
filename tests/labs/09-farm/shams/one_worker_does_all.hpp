// EARNS: 0
// SAYS: steps, and at most 450 are allowed
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    const Status sent = co_await send_value(node, tasks, node_at(1), kTask);
    if (sent != Status::ok)
        co_return sent;
    co_return (co_await receive_value(node, sum, node_at(1), kAsk)).status;
}
Task<Status> worker(Kernel& node) {
    unsigned tasks = 0, sum = 0;
    if (index(node.id()) != 1)
        co_return Status::ok;
    const Received got = co_await receive_value(node, tasks, kFarmer, kTask);
    for (unsigned task = 0; task < tasks; ++task)
        sum += co_await work(node, task);
    if (got.status != Status::ok)
        co_return got.status;
    co_return co_await send_value(node, sum, kFarmer, kAsk);
}
