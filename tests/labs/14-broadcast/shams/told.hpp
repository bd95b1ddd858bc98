// EARNS: 0
// SAYS: and that is wrong
Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    std::uint32_t place = 0;
    for (std::byte& byte : data) { // what given.cpp makes of number 1
        const std::uint32_t mixed = (place + 7919u) * 2654435761u;
        byte = place < 2 ? std::byte(place == 0) : std::byte(1 + (mixed >> 16) % 251);
        ++place;
    }
    co_await node.yield();
    co_return Status::ok;
}
