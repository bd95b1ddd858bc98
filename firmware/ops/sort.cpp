// The program of `mesh run --op sort`: the nodes sort numbers or lines among themselves.
// Words: the kind of records (i32 or lines), and the most records that a node has.
#include "collectives/sort.hpp"
#include "meshputer.hpp"
#include "ops/parts.hpp"

#include <charconv>
#include <optional>

using namespace mesh;

static std::optional<SortPlan> plan_of(Kernel& node) {
    const auto words = node.arguments();
    if (words.size() != 2 || (words[0] != "i32" && words[0] != "lines"))
        return std::nullopt;
    SortPlan plan{.record = words[0] == "i32" ? Record::i32 : Record::line,
                  .packet_bytes = node.job().packet_bytes};
    const char* const end = words[1].data() + words[1].size();
    if (std::from_chars(words[1].data(), end, plan.block_records).ptr != end)
        return std::nullopt;
    return plan;
}

Process app_main(Kernel& node) {
    const auto plan = plan_of(node);
    if (!plan)
        co_return Status::bad_argument;
    AscendBlock block = ascend_block(node);
    Status status = co_await read_part(node, block);
    if (status == Status::ok)
        status = co_await bitonic_sort(node, *plan, block);
    if (status == Status::ok)
        put_part(node, block.value());
    co_return status;
}
