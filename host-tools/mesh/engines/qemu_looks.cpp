// Looks into nodes of a rig by the monitors of their emulators.
#include "qemu_engine.hpp"

#include <array>

namespace mesh::host {

namespace {
/// An interrupt is over long before so many looks are.
constexpr unsigned kLooks = 20;
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
    EmulatedMemory memory = memory_of(node);
    std::vector<WaitsFor> waits = waits_in(memory);
    signals_.check();
    return waits;
}

std::optional<wire::CrashRecord> QemuEngine::running(NodeId node) {
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
    const ImageSymbols& image = symbols_of(node);
    EmulatedMemory memory = memory_of(node);
    const std::uint64_t limit = image.label("stack_limit");
    const std::uint64_t top = image.label("stack_top");
    std::array<std::byte, sizeof(std::uint32_t)> paint{};
    if (limit >= top || !memory.read(limit, paint))
        return std::nullopt;
    std::uint64_t used = limit + paint.size();
    for (auto word = paint; used < top && memory.read(used, word) && word == paint;)
        used += word.size();
    signals_.check();
    return static_cast<std::uint32_t>(top - used);
}

} // namespace mesh::host
