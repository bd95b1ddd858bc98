// EARNS: 0
// SAYS: the program calls broadcast(), which this check forbids
Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    co_return co_await broadcast(node, BroadcastPlan{}, data);
}
