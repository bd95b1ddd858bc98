// Lab 9: who does which task? As it stands each of 7 workers has 6 tasks of its own.

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
Task<Status> worker(Kernel& node) {
    for (unsigned turn = 0; turn < 6; ++turn) {
        const unsigned result = co_await work(node, 7 * turn + index(node.id()) - 1);
        const Status sent = co_await send_value(node, result, kFarmer, kAsk);
        if (sent != Status::ok)
            co_return sent;
    }
    co_return Status::ok;
}
