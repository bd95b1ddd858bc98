#include "wait_bytes.hpp"

#include <cstring>
#include <optional>
#include <type_traits>

namespace mesh::host {

namespace {

/// A wait but for its guards, which follow it.
struct Fixed {
    Match match;
    std::uint64_t more = 0;
    std::uint64_t wake = 0;
    NodeId to = kNoNode;
    NodeId came_from = kNoNode;
    std::int32_t mpi_tag = 0;
    std::int32_t came_tag = 0;
    std::uint32_t resumes = 0;
    std::uint32_t guards = 0;
    Tag tag = 0;
    WaitKind kind = WaitKind::condition;
    std::uint8_t process = 0;
    std::uint8_t other = 0;
    bool mpi_send = false;
};
static_assert(std::is_trivially_copyable_v<Fixed>);

/// Guards have no guards in their turn; nobody is to nest them without end.
constexpr unsigned kDepthMax = 3;

void append(Bytes& bytes, const WaitsFor& wait) {
    const Fixed fixed{wait.match,    wait.more,      wait.wake,
                      wait.to,       wait.came_from, wait.mpi_tag,
                      wait.came_tag, wait.resumes,   static_cast<std::uint32_t>(wait.guards.size()),
                      wait.tag,      wait.kind,      wait.process,
                      wait.other,    wait.mpi_send};
    const auto* const from = reinterpret_cast<const std::byte*>(&fixed);
    bytes.insert(bytes.end(), from, from + sizeof fixed);
    for (const WaitsFor& guard : wait.guards)
        append(bytes, guard);
}

std::optional<WaitsFor> take(std::span<const std::byte>& bytes, unsigned depth) {
    Fixed fixed;
    if (bytes.size() < sizeof fixed || depth > kDepthMax)
        return std::nullopt;
    std::memcpy(&fixed, bytes.data(), sizeof fixed);
    bytes = bytes.subspan(sizeof fixed);
    WaitsFor wait;
    wait.match = fixed.match;
    wait.more = fixed.more;
    wait.wake = fixed.wake;
    wait.to = fixed.to;
    wait.mpi_tag = fixed.mpi_tag;
    wait.came_from = fixed.came_from;
    wait.came_tag = fixed.came_tag;
    wait.resumes = fixed.resumes;
    wait.tag = fixed.tag;
    wait.kind = fixed.kind;
    wait.process = fixed.process;
    wait.other = fixed.other;
    wait.mpi_send = fixed.mpi_send;
    for (std::uint32_t guard = 0; guard < fixed.guards; ++guard) {
        auto one = take(bytes, depth + 1);
        if (!one)
            return std::nullopt;
        wait.guards.push_back(*std::move(one));
    }
    return wait;
}

} // namespace

Bytes bytes_of_waits(std::span<const WaitsFor> waits) {
    Bytes bytes;
    for (const WaitsFor& wait : waits)
        append(bytes, wait);
    return bytes;
}

std::vector<WaitsFor> waits_of_bytes(std::span<const std::byte> bytes) {
    std::vector<WaitsFor> waits;
    while (const auto wait = take(bytes, 0))
        waits.push_back(*wait);
    return waits;
}

} // namespace mesh::host
