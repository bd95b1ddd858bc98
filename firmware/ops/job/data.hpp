// Functions for data that the programs of all families share: made from the seed, given on to the
// host, and accounted for in the result.
#pragma once

#include "hal/check.hpp"
#include "meshputer.hpp"
#include "ops/traffic.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <cstdint>
#include <span>

namespace mesh::ops {

/// Fills `out` from the payload stream; `context` is the stream's first word. Flat: a call for each
/// word would take longer than what it calls.
[[gnu::flatten]] inline void fill_traffic(const void* context, std::uint32_t position,
                                          std::span<std::byte> out) {
    const std::uint32_t stream = *static_cast<const std::uint32_t*>(context);
    std::uint32_t done = 0;
    if (position % 4 == 0)
        for (; done + 4 <= out.size(); done += 4)
            wire::store(out, done, traffic_word(stream, (position + done) / 4));
    for (; done < out.size(); ++done)
        out[done] = static_cast<std::byte>(traffic_byte(stream, position + done));
}

/// Gives the data that this node got to the host, if this is the output node.
inline void put_out(Kernel& node, std::uint32_t position, std::span<const std::byte> data) {
    if (node.job().output_node == index(node.id()))
        write_output(node, position, data);
}

inline void count_packet(Kernel& node, std::span<const std::byte> payload) {
    ++node.result().received_packets;
    node.result().received_bytes += static_cast<std::uint32_t>(payload.size());
}

/// Puts the block that `from` has for `to` into `out`: from the host, where block `number` of the
/// input begins at number * block size, or from the seed.
inline Task<Status> make_block(Kernel& node, NodeId from, NodeId to, std::uint32_t number,
                               std::span<std::byte> out) {
    const wire::Job& job = node.job();
    if (job.has_input != 0)
        co_return co_await read_input(node, number * job.message_bytes, out);
    const std::uint32_t stream = block_stream(job.seed, from, to);
    fill_traffic(&stream, 0, out);
    co_return Status::ok;
}

/// Accounts for the result: one block or all, in the order of the nodes; block c of `blocks`
/// belongs to node c xor `mask`. They are whole, of job().message_bytes each (checked); none at all
/// is fine.
inline void account(Kernel& node, std::span<const std::byte> blocks, std::uint32_t mask) {
    const std::size_t size = node.job().message_bytes;
    const auto count = static_cast<std::uint32_t>(size == 0 ? 0 : blocks.size() / size);
    MESH_CHECK(count * size == blocks.size(), blocks_cut_short);
    for (std::uint32_t number = 0; number < count; ++number) {
        const auto block = blocks.subspan((number ^ mask) * size, size);
        node.result().crc = wire::crc32(block, node.result().crc);
        count_packet(node, block);
        put_out(node, static_cast<std::uint32_t>(number * size), block);
    }
    node.result().received_messages = 1;
}

} // namespace mesh::ops
