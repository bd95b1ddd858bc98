// EARNS: 0
// SAYS: and that is wrong
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    for (unsigned task = 0; task < tasks; ++task)
        sum += task * task;
    co_await node.yield();
    co_return Status::ok;
}
Task<Status> worker(Kernel& node) {
    co_await node.yield();
    co_return Status::ok;
}
