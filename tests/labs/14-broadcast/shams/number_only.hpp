// EARNS: 0
// SAYS: messages, and this task takes
Task<Status> tell_all(Kernel& node, std::span<std::byte> data) {
    unsigned number = std::to_integer<unsigned>(data[0]);
    number += std::to_integer<unsigned>(data[1]) << 8;
    const unsigned me = index(node.id());
    if (me > 0)
        if (const Received got = co_await receive_value(node, number, node_at(me - 1));
            got.status != Status::ok)
            co_return got.status;
    std::uint32_t place = 0;
    for (std::byte& byte : data) {
        const std::uint32_t mixed = (place + number * 7919u) * 2654435761u;
        byte = std::byte(place < 2 ? number >> 8 * place : 1 + (mixed >> 16) % 251);
        ++place;
    }
    if (me + 1 < node.nodes())
        co_return co_await send_value(node, number, node_at(me + 1));
    co_return Status::ok;
}
