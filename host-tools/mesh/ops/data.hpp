// The data that ops move: messages and blocks, from a file or made from the seed, and how they are
// cut into packets.
#pragma once

#include "host-tools/mesh/rig/run_plan.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mesh::host {

/// Largest input of an op whose nodes need not hold it at once.
inline constexpr std::int64_t kInputBytesMax = std::int64_t{1} << 30;

/// Reads the input, of at most so many bytes, into the run, and takes --bytes. `input`: its file, -
/// or "", most often that of --input. UsageError.
void plan_input(RunPlan& run, const std::string& input, std::int64_t most);
/// The same for one message, which is as long as its file unless --bytes says less. UsageError.
void plan_message(RunPlan& run, const std::string& input, std::int64_t most);

/// Blocks of one size: how many there are in the input, and the most that one may have.
struct BlockLimits {
    std::uint64_t blocks;
    std::uint32_t most_bytes;
};
/// Reads the blocks, or fixes their size. `op` is named in the error. UsageError.
void plan_blocks(RunPlan& run, std::string_view op, BlockLimits limits);
/// Block `number` of the input, or the block that the seed gives for `from` and `to`.
Bytes block_of(const RunPlan& run, std::size_t number, NodeId from, NodeId to);
/// Message `k` of a node.
Bytes message_of(const RunPlan& run, NodeId from, std::uint32_t k);

/// Largest size of an external packet, and whether it may be unbounded (0, then the default).
struct PacketLimits {
    std::size_t most;
    bool unbounded = false;
};
inline constexpr std::uint32_t kPacketBytesMin = 16;
/// The iPSC's external packets, cut into frames. (ho-johnsson-1986, 6)
inline constexpr std::size_t kExternalBytesMax = 64u << 10;
/// The size of packets. `also` names other values that the op allows, for the error. UsageError.
void plan_packet(RunPlan& run, PacketLimits limits, std::string_view also = {});

} // namespace mesh::host
