// The program of `mesh run --op ascend` and `descend`: prefix sums. Every node has a block of
// 32-bit words; afterwards word w of a node is the sum of the words w of all nodes up to it, in the
// order of their addresses (ascend) or of their addresses read backwards (descend).
#include "meshputer.hpp"
#include "ops/parts.hpp"
#include "ops/prefix_sums.hpp"

using namespace mesh;

Process app_main(Kernel& node) {
    AscendBlock block = ascend_block(node);
    Status status = co_await read_part(node, block);
    const std::size_t bytes = block.value().size();
    if (status == Status::ok && 2 * bytes > block.room_bytes())
        status = Status::no_memory;
    if (status != Status::ok)
        co_return status;
    begin_prefixes(block);
    const AscendPlan plan{.oper = {add_prefixes}, .packet_bytes = node.job().packet_bytes};
    if (node.job().op == wire::Op::descend)
        status = co_await descend(node, plan, block);
    else
        status = co_await ascend(node, plan, block);
    if (status == Status::ok)
        put_part(node, block.value().first(bytes));
    co_return status;
}
