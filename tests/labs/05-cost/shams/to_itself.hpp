// EARNS: 0
// SAYS: a circle
Task<Status> measure(Kernel& node, Cost& cost) {
    std::array<std::byte, 512> room{};
    const double begin = units_now(node);
    for (unsigned ball = 0; ball < 4; ++ball) {
        std::ignore = co_await send(node, room, node.id(), kTag);
        std::ignore = co_await receive(node, room, node.id(), kTag);
    }
    cost = {(units_now(node) - begin) / 4, 0};
    co_return Status::ok;
}
