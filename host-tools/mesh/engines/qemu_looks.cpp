// Looks into nodes of a rig by the monitors of their emulators.
#include "qemu_engine.hpp"
#include "wait_bytes.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sys/socket.h>
#include <unistd.h>

namespace mesh::host {

namespace {
/// An interrupt is over long before so many looks are.
constexpr unsigned kLooks = 20;
/// More than the stack of any board.
constexpr std::uint64_t kStackBytesMax = 16 << 20;

/// The value that a rank has seen; none if it has seen none.
template <class T>
std::optional<T> value_of(const Bytes& seen) {
    return seen.size() == sizeof(T) ? std::optional(wire::load<T>(seen, 0)) : std::nullopt;
}

} // namespace

const ImageSymbols& QemuEngine::symbols_of(NodeId node) {
    const std::string& image = plan_.program(node).image;
    return images_.try_emplace(image, image).first->second;
}

EmulatedMemory QemuEngine::memory_of(NodeId node) {
    monitor_budget_.begin(index(node));
    return {nodes_[index(node)].monitor, symbols_of(node), monitor_budget_};
}

std::vector<WaitsFor> QemuEngine::waiting(NodeId node) {
    if (is_far(node))
        return waits_of_bytes(look(node, Look::waits));
    EmulatedMemory memory = memory_of(node);
    std::vector<WaitsFor> waits = waits_in(memory);
    signals_.check();
    return waits;
}

std::optional<wire::CrashRecord> QemuEngine::running(NodeId node) {
    if (is_far(node))
        return value_of<wire::CrashRecord>(look(node, Look::place));
    EmulatedMemory memory = memory_of(node);
    for (unsigned look = 0; look < kLooks; ++look) {
        const auto registers = memory.registers();
        if (!registers)
            break;
        if (registers->in_program) {
            wire::CrashRecord place{};
            place.pc = registers->pc;
            place.lr = registers->lr;
            return place;
        }
    }
    signals_.check();
    return std::nullopt;
}

/// Start-up paints the stack (boards/cortex-m/startup.cpp), and what was never used is as it was.
std::optional<std::uint32_t> QemuEngine::stack_used(NodeId node) {
    if (is_far(node))
        return value_of<std::uint32_t>(look(node, Look::stack));
    const ImageSymbols& image = symbols_of(node);
    const std::uint64_t limit = image.label("stack_limit");
    const std::uint64_t top = image.label("stack_top");
    constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
    if (limit + kWordBytes > top || top - limit > kStackBytesMax)
        return std::nullopt;
    const auto stack = saved_memory(node, limit, static_cast<std::size_t>(top - limit));
    signals_.check();
    if (!stack)
        return std::nullopt;
    const auto paint = std::span(*stack).first(kWordBytes);
    std::size_t unused = kWordBytes;
    while (unused + kWordBytes <= stack->size() &&
           std::ranges::equal(std::span(*stack).subspan(unused, kWordBytes), paint))
        unused += kWordBytes;
    return static_cast<std::uint32_t>(stack->size() - unused);
}

/// Memory as the emulator writes it to its standard error, from which the rest of its words has
/// been read: a monitor that prints a whole stack takes fifty times as long. Nothing if it does not
/// come.
std::optional<Bytes> QemuEngine::saved_memory(NodeId node, std::uint64_t address,
                                              std::size_t bytes) {
    const NodeLine& line = nodes_[index(node)];
    monitor_budget_.begin(index(node));
    while (read_errors(node)) {
    }
    const std::string command =
        fmt::format("memsave {:#x} {} \"/proc/self/fd/{}\"\n", address, bytes, STDERR_FILENO);
    if (send(line.monitor.get(), command.data(), command.size(), MSG_NOSIGNAL) < 0)
        return std::nullopt;
    Bytes saved(bytes);
    for (std::size_t got = 0; got < bytes;) {
        if (!monitor_budget_.wait_for(line.errors.get()))
            return std::nullopt;
        const ssize_t more = read(line.errors.get(), saved.data() + got, bytes - got);
        if (more <= 0)
            return std::nullopt;
        got += static_cast<std::size_t>(more);
    }
    return saved;
}

} // namespace mesh::host
