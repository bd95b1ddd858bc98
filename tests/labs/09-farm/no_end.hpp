// SAYS: nobody took a message
// LOSES: every task once, 3 and 7 workers
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    unsigned next = 0;
    for (unsigned working = 1; next < tasks || working == 0;) {
        unsigned result = 0;
        const Received got = co_await receive_value(node, result, kAnySource, kAsk);
        if (got.status != Status::ok)
            co_return got.status;
        sum += result;
        const unsigned task = next < tasks ? next++ : kNoTask;
        working -= task == kNoTask ? 1 : 0;
        const Status sent = co_await send_value(node, task, got.source, kTask);
        if (sent != Status::ok)
            co_return sent;
    }
    co_return Status::ok;
}

Task<Status> worker(Kernel& node) {
    for (unsigned result = 0;;) {
        const Status sent = co_await send_value(node, result, kFarmer, kAsk);
        if (sent != Status::ok)
            co_return sent;
        unsigned task = kNoTask;
        const Received got = co_await receive_value(node, task, kFarmer, kTask);
        if (got.status != Status::ok || task == kNoTask)
            co_return got.status;
        result = co_await work(node, task);
    }
}
