// EARNS: 0
// SAYS: says 'the farmer works' in its line 1, and that is wrong
Task<Status> farmer(Kernel& node, unsigned tasks, unsigned& sum) {
    for (unsigned task = 0; task < tasks; ++task)
        sum += co_await work(node, task);
    co_return Status::ok;
}
Task<Status> worker(Kernel& node) {
    co_await node.yield();
    co_return Status::ok;
}
