// EARNS: 0
// SAYS: and that is wrong
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    for (unsigned task = 0; task < tasks; ++task) {
        unsigned result = 0;
        const NodeId to = node_at(1 + task % (node.nodes() - 1));
        std::ignore = co_await send_value(node, task, to, kTask);
        std::ignore = co_await receive_value(node, result, to, kAsk);
        sum += result;
    }
    for (unsigned to = 1; to < node.nodes(); ++to)
        std::ignore = co_await send_value(node, kNoTask, node_at(to), kTask);
    co_return Status::ok;
}
Task<Status> worker(Kernel& node) {
    for (unsigned task = 0;;) {
        std::ignore = co_await receive_value(node, task, kFarmer, kTask);
        if (task == kNoTask)
            co_return Status::ok;
        std::ignore = co_await send_value(node, task * task, kFarmer, kAsk);
    }
}
