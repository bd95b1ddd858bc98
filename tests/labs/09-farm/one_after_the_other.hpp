// SAYS: right, but
// LOSES: nobody idle: at most 450 units
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    for (unsigned task = 0; task < tasks + node.nodes() - 1; ++task) {
        const NodeId who = node_at(1 + task % (node.nodes() - 1));
        const unsigned what = task < tasks ? task : kNoTask;
        const Status sent = co_await send_value(node, what, who, kTask);
        if (sent != Status::ok)
            co_return sent;
        if (what == kNoTask)
            continue;
        unsigned result = 0;
        const Received got = co_await receive_value(node, result, who, kAsk);
        if (got.status != Status::ok)
            co_return got.status;
        sum += result;
    }
    co_return Status::ok;
}

Task<Status> worker(Kernel& node) {
    for (;;) {
        unsigned task = kNoTask;
        const Received got = co_await receive_value(node, task, kFarmer, kTask);
        if (got.status != Status::ok || task == kNoTask)
            co_return got.status;
        const unsigned result = co_await work(node, task);
        const Status sent = co_await send_value(node, result, kFarmer, kAsk);
        if (sent != Status::ok)
            co_return sent;
    }
}
