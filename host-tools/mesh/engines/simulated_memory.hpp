// The processes of a simulated node as who_waits looks at them: they are in this process.
#pragma once

#include "node_waits.hpp"

#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mesh::host {

/// Reads what the kernel has, which must outlive it.
class SimulatedMemory final : public ProcessMemory {
public:
    explicit SimulatedMemory(Kernel& kernel);

    bool read(std::uint64_t address, std::span<std::byte> out) override;
    std::string function_at(std::uint64_t address) override;
    std::uint32_t code_place(std::uint64_t address) override;
};

} // namespace mesh::host
