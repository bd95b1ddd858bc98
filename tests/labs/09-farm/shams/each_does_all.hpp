// EARNS: 0
// SAYS: and that is wrong
Task<Status> farmer(Kernel& node, unsigned, unsigned& sum) {
    co_return (co_await receive_value(node, sum, node_at(1), kAsk)).status;
}
Task<Status> worker(Kernel& node) {
    unsigned sum = 0;
    for (unsigned task = 0; task < word<unsigned>(node, 0, 42); ++task)
        sum += co_await work(node, task);
    if (index(node.id()) == 1)
        co_return co_await send_value(node, sum, kFarmer, kAsk);
    co_return Status::ok;
}
