#include "collectives/host_files.hpp"

#include "wire/bytes.hpp"

#include <algorithm>

namespace mesh {

Task<Status> read_input(Kernel& kernel, std::uint32_t position, std::span<std::byte> out) {
    const std::uint32_t size = input_bytes(kernel);
    if (position > size || out.size() > size - position)
        co_return Status::bad_argument;
    while (!out.empty()) {
        const auto chunk = out.first(std::min(out.size(), wire::kHostChunkBytesMax));
        while (!co_await kernel.pull(position, chunk)) {
        }
        position += static_cast<std::uint32_t>(chunk.size());
        out = out.subspan(chunk.size());
    }
    co_return Status::ok;
}

void write_output(Kernel& kernel, std::uint32_t position, std::span<const std::byte> data) {
    while (!data.empty()) {
        const auto part = data.first(std::min(data.size(), wire::kHostChunkBytesMax));
        const wire::Chunk chunk{position, static_cast<std::uint32_t>(part.size())};
        kernel.host_send(wire::HostTag::push, wire::bytes_of(chunk), part);
        position += chunk.bytes;
        data = data.subspan(part.size());
    }
}

} // namespace mesh
