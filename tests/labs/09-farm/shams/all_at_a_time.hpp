// EARNS: 0
// SAYS: says 'I do two tasks at a time' in its line 1, and that is wrong
Task<Status> farmer(Kernel& node, unsigned, unsigned& sum) {
    co_return (co_await receive_value(node, sum, node_at(1), kAsk)).status;
}
Process one(Kernel& node, unsigned task, unsigned& sum) {
    sum += co_await work(node, task);
    co_return Status::ok;
}
Task<Status> worker(Kernel& node) {
    unsigned sum = 0;
    const unsigned tasks = word<unsigned>(node, 0, 42);
    if (index(node.id()) != 1)
        co_return Status::ok;
    for (unsigned task = 0; task < tasks; task += 3) {
        const Status status = co_await par(node, one(node, task, sum), one(node, task + 1, sum),
                                           one(node, task + 2, sum));
        if (status != Status::ok)
            co_return status;
    }
    co_return co_await send_value(node, sum, kFarmer, kAsk);
}
