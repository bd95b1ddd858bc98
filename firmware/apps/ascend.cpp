// The program of `mesh run --op ascend` and `descend`: prefix sums. Every node has a block of
// 32-bit words; afterwards word w of a node is the sum of the words w of all nodes up to it, in the
// order of their addresses (ascend) or of their addresses read backwards (descend).
#include "apps/parts.hpp"
#include "meshputer.hpp"
#include "wire/bytes.hpp"

#include <algorithm>

using namespace mesh;

using Word = std::uint32_t;

/// A value is the sums up to the node, then those of its whole subcube.
static std::size_t add(const void*, const AscendOperands& pair, std::span<std::byte> result) {
    const auto mine = pair.is_upper() ? pair.upper : pair.lower;
    const std::size_t half = mine.size() / 2;
    for (std::size_t at = 0; at < half; at += sizeof(Word)) {
        const Word below = wire::load<Word>(pair.lower, half + at);
        const Word prefix = wire::load<Word>(mine, at) + (pair.is_upper() ? below : 0);
        wire::store(result, at, prefix);
        wire::store(result, half + at, below + wire::load<Word>(pair.upper, half + at));
    }
    return 2 * half;
}

Process app_main(Kernel& node) {
    AscendBlock block = ascend_block(node);
    Status status = co_await read_part(node, block);
    const std::size_t bytes = block.value().size();
    if (status != Status::ok || 2 * bytes > block.room_bytes())
        co_return std::max(status, Status::no_memory);
    const auto value = block.resize(2 * bytes);
    std::copy_n(value.begin(), bytes, value.begin() + static_cast<std::ptrdiff_t>(bytes));
    const AscendPlan plan{.oper = {add}, .packet_bytes = node.job().packet_bytes};
    if (node.job().op == wire::Op::descend)
        status = co_await descend(node, plan, block);
    else
        status = co_await ascend(node, plan, block);
    if (status == Status::ok)
        put_part(node, block.value().first(bytes));
    co_return status;
}
