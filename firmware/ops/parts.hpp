// The data of the ops in which every node has a part of its own: ascend, descend, sort, fft.
//
// The input begins with nodes + 1 words: the positions in it at which the part of each node begins,
// and at which the last one ends. Each node puts its result at its number times the job's
// message_bytes, the largest that there may be.
#pragma once

#include "collectives/ascend.hpp"
#include "collectives/host_files.hpp"
#include "ops/room.hpp"
#include "wire/crc32.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace mesh {

/// A value in the workspace, without the last `kept_bytes` of it.
inline AscendBlock ascend_block(Kernel& kernel, std::size_t kept_bytes = 0) {
    const auto workspace = kernel.workspace();
    return {kernel.network(), workspace.first(ascend_memory_bytes(workspace.size(), kept_bytes))};
}

/// Makes this node's part of the input its value.
inline Task<Status> read_part(Kernel& kernel, AscendBlock& block) {
    std::array<std::uint32_t, 2> ends{};
    Status status = co_await read_input(kernel, index(kernel.id()) * sizeof(std::uint32_t),
                                        std::as_writable_bytes(std::span{ends}));
    if (status != Status::ok)
        co_return status;
    if (ends[0] > ends[1] || ends[1] - ends[0] > block.room_bytes())
        co_return Status::no_memory;
    co_return co_await read_input(kernel, ends[0], block.resize(ends[1] - ends[0]));
}

/// Reports the result to the host, and sends the bytes if the host wants them.
inline void put_part(Kernel& kernel, std::span<const std::byte> data) {
    kernel.result().crc = wire::crc32(data);
    kernel.result().received_bytes = static_cast<std::uint32_t>(data.size());
    kernel.result().received_messages = 1;
    if (kernel.job().output_node == index(kernel.id()))
        write_output(kernel, index(kernel.id()) * kernel.job().message_bytes, data);
}

} // namespace mesh
