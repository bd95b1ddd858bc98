// prefix: the running sums of a file of 32-bit words (little-endian, wrapping around).
//
//   mesh run --app prefix --dim 4 --input WORDS --output SUMS
//
// Each node adds up its share of the file; what comes before it, it learns in one ascending pass.
#include "meshputer.hpp"
#include "ops/prefix_sums.hpp"

#include <algorithm>

using namespace mesh;

using Word = std::uint32_t;
constexpr std::size_t kValueRoom = 16; // two words, and as much as alignment wants

Process app_main(Kernel& node) {
    const auto words = static_cast<Word>(input_bytes(node) / sizeof(Word));
    const Word most = words / node.nodes() + 1;
    const std::size_t values = ascend_places(node.network()) * kValueRoom;
    if (node.network().topology == Topology::star)
        co_return refuse(node, "prefix wants a cube or a UHC");
    if (node.job().has_input == 0)
        co_return refuse(node, "prefix wants --input WORDS --output SUMS");
    if (input_bytes(node) % sizeof(Word) != 0)
        co_return refuse(node, "--input is no file of 32-bit words");
    if (most * sizeof(Word) > node.workspace().size() - values)
        co_return refuse(node, "the file is too large for so few nodes");
    const Word first = std::min(words, index(node.id()) * most);
    const std::size_t bytes = (std::min(words, first + most) - first) * sizeof(Word);
    const auto share = node.workspace().subspan(values, bytes);
    Status status = co_await read_input(node, first * sizeof(Word), share);
    Word sum = 0;
    for (std::size_t at = 0; at < bytes; at += sizeof(Word))
        wire::store(share, at, sum += wire::load<Word>(share, at));

    AscendBlock block{node.network(), node.workspace().first(values)};
    wire::store(block.resize(sizeof(Word)), 0, sum);
    begin_prefixes(block);
    const AscendPlan plan{.oper = {add_prefixes}};
    if (status == Status::ok)
        status = co_await ascend(node, plan, block);
    const Word before = wire::load<Word>(block.value(), 0) - sum;
    for (std::size_t at = 0; at < bytes; at += sizeof(Word))
        wire::store(share, at, before + wire::load<Word>(share, at));
    if (status == Status::ok)
        write_output(node, first * sizeof(Word), share);
    co_return status;
}
