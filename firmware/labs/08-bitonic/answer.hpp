// Lab 8: a network of comparisons. `key` becomes the number that belongs at this node.

Task<Status> sort(Kernel& node, unsigned& key) {
    co_await node.yield(); // nothing is sorted yet
    key += 0;
    co_return Status::ok;
}
