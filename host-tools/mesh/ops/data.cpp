#include "data.hpp"

#include "host-tools/mesh/rig/naming.hpp"
#include "ops/traffic.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

namespace mesh::host {

namespace {

Bytes made_from(std::uint32_t stream, std::uint32_t count) {
    Bytes bytes((count + 3u) / 4 * 4);
    for (std::uint32_t at = 0; at < count; at += 4)
        wire::store(std::span(bytes), at, traffic_word(stream, at / 4));
    bytes.resize(count);
    return bytes;
}

/// All bytes of an open file. The length of a pipe is not known before its end.
Bytes read_to_end(int file, const std::string& path, std::int64_t most) {
    constexpr std::size_t kReadBytes = 64 << 10;
    Bytes bytes;
    for (std::size_t size = 0;;) {
        bytes.resize(size + kReadBytes);
        const ssize_t got = read(file, bytes.data() + size, kReadBytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            refuse(Refusal::file, "--input '{}': cannot be read: {}", path, std::strerror(errno));
        size += static_cast<std::size_t>(got);
        if (static_cast<std::int64_t>(size) > most)
            refuse("--input '{}': more than the {} bytes that are allowed", path, most);
        if (got == 0) {
            bytes.resize(size);
            return bytes;
        }
    }
}

Bytes read_input(const std::string& path, std::int64_t most) {
    if (path == "-")
        return read_to_end(STDIN_FILENO, path, most);
    std::error_code error;
    const auto kind = std::filesystem::status(path, error);
    if (!is_regular_file(kind) && !is_fifo(kind))
        refuse(Refusal::file, "--input '{}': no such file (or neither a regular one nor a pipe)",
               path);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        refuse(Refusal::file, "--input '{}': cannot be read: {}", path, std::strerror(errno));
    Bytes bytes = read_to_end(file, path, most);
    close(file);
    return bytes;
}

} // namespace

void plan_input(RunPlan& run, const std::string& input, std::int64_t most) {
    if (run.data.bytes)
        run.bytes = in_range(*run.data.bytes, 0, most, "--bytes");
    if (!input.empty())
        run.input = read_input(input, most);
}

void plan_message(RunPlan& run, const std::string& input, std::int64_t most) {
    plan_input(run, input, most);
    if (!run.input)
        return;
    if (run.data.bytes && run.bytes > run.input->size())
        refuse(kCombination, "--bytes {}: '{}' has {}", run.bytes, input, run.input->size());
    if (!run.data.bytes)
        run.bytes = static_cast<std::uint32_t>(run.input->size());
    run.input->resize(run.bytes);
}

void plan_blocks(RunPlan& run, std::string_view op, BlockLimits limits) {
    plan_input(run, run.data.input, kInputBytesMax);
    const auto [blocks, most] = limits;
    if (run.input && !run.data.bytes) {
        if (run.input->size() % blocks != 0)
            refuse(kCombination,
                   "--input '{}': {} bytes do not divide into {} blocks of one size; give --bytes",
                   run.data.input, run.input->size(), blocks);
        run.bytes = static_cast<std::uint32_t>(run.input->size() / blocks);
    } else if (!run.data.bytes) {
        run.bytes = std::min(run.bytes, most / 4 * 4);
    }
    if (run.bytes > most)
        refuse(kCombination, "--bytes {}: {} with {} nodes has room for at most {} for each, at {}",
               run.bytes, op, run.nodes(), most, run.a_node());
    if (run.input && run.input->size() < blocks * run.bytes)
        refuse(kCombination, "--bytes {}: '{}' has {} bytes, {} blocks need {}", run.bytes,
               run.data.input, run.input->size(), blocks, blocks * run.bytes);
}

Bytes block_of(const RunPlan& run, std::size_t number, NodeId from, NodeId to) {
    if (!run.input)
        return made_from(block_stream(run.model.seed, from, to), run.bytes);
    const auto data = std::span(*run.input).subspan(number * run.bytes, run.bytes);
    return {data.begin(), data.end()};
}

Bytes message_of(const RunPlan& run, NodeId from, std::uint32_t k) {
    if (run.input)
        return *run.input;
    return made_from(traffic_stream(run.model.seed, from, k), run.bytes);
}

void plan_packet(RunPlan& run, PacketLimits limits, std::string_view also) {
    const std::string& packet = run.data.packet;
    run.packet_bytes = limits.unbounded ? 0 : static_cast<std::uint32_t>(run.payload_bytes());
    if (packet.empty())
        return;
    std::uint32_t bytes = 0;
    const char* const end = packet.data() + packet.size();
    const auto [last, error] = std::from_chars(packet.data(), end, bytes);
    const bool unbounded = limits.unbounded && bytes == 0;
    if (error != std::errc{} || last != end ||
        (!unbounded && (bytes < kPacketBytesMin || bytes > limits.most)))
        refuse(bytes < kPacketBytesMin || last != end ? Refusal::value : kCombination,
               "--packet '{}': allowed: {} to {}{}{}{}", packet, kPacketBytesMin, limits.most,
               limits.unbounded ? ", or 0 for unbounded" : "", also,
               limits.most == run.payload_bytes() && limits.most < wire::kPayloadBytesMost
                   ? fmt::format("; {} has no larger packets", run.rig.board.name)
                   : "");
    run.packet_bytes = bytes;
}

} // namespace mesh::host
