// EARNS: 0
// SAYS: node
Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    std::ranges::fill(data, std::byte{0}); // the same everywhere
    co_await node.yield();
    co_return Status::ok;
}
