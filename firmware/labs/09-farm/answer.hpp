// Lab 9: who does which task? As it stands each worker has a share of its own.

/// The farmer: `sum` becomes the sum of the results of tasks 0 .. tasks-1.
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    for (unsigned task = 0; task < tasks; ++task) {
        unsigned result = 0;
        const Received got = co_await receive_value(node, result, kAnySource, kAsk);
        if (got.status != Status::ok)
            co_return got.status;
        sum += result;
    }
    co_return Status::ok;
}

/// A worker.
Task<Status> worker(Kernel& node, unsigned tasks) {
    for (unsigned task = index(node.id()) - 1; task < tasks; task += node.nodes() - 1) {
        const unsigned result = co_await work(node, task);
        const Status sent = co_await send_value(node, result, kFarmer, kAsk);
        if (sent != Status::ok)
            co_return sent;
    }
    co_return Status::ok;
}
