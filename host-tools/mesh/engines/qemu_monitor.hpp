// The monitor of one QEMU, through which the host tool reads the memory of its node. The node works
// on meanwhile and knows nothing of it.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/programs/image_symbols.hpp"
#include "node_waits.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace mesh::host {

/// The time to wait for monitors that do not answer: for all of them together, so that a rig of
/// many stopped emulators holds up the end of a run no longer than one.
struct MonitorBudget {
    static constexpr std::chrono::milliseconds kWhole{2000};
    static constexpr std::chrono::milliseconds kHurried{1000}; // of a run that a signal ends
    static constexpr std::chrono::milliseconds kLeast{10};     // for each, even when it is used up

    int interruption = -1; // readable when all waiting is to end
    std::chrono::milliseconds left = kWhole;
    std::uint32_t last = 0; // node

    /// Nodes are read in their order: a node that is not behind the last one begins a new budget.
    void begin(std::uint32_t node) {
        if (node <= last)
            left = end_is_asked_for() ? kHurried : kWhole;
        last = node;
    }
    /// Waits until there is something to read. False if there is nothing in time, or the run is to
    /// end.
    bool wait_for(int descriptor);
};

/// A node in an emulator, by its monitor (a socket) and its image.
class EmulatedMemory final : public ProcessMemory {
public:
    /// All must outlive this.
    EmulatedMemory(const Fd& monitor, const ImageSymbols& image, MonitorBudget& budget);

    bool read(std::uint64_t address, std::span<std::byte> out) override;
    std::string function_at(std::uint64_t address) override;

    std::uint32_t code_place(std::uint64_t address) override {
        return static_cast<std::uint32_t>(address) & ~1u; // odd: Thumb code
    }

    struct Registers {
        std::uint32_t pc = 0;
        std::uint32_t lr = 0;
        bool in_program = false; // and in no interrupt
    };
    /// Those of the processor at this moment; nothing if the monitor does not tell them.
    std::optional<Registers> registers();

private:
    static constexpr std::size_t kLineBytes = 512; // read at once
    using Line = std::array<std::byte, kLineBytes>;

    const Line* line_at(std::uint64_t address);
    bool fetch(std::uint64_t address, Line& line);
    bool ask(const std::string& command);
    std::optional<std::string> next_text();

    const Fd& monitor_;
    const ImageSymbols& image_;
    MonitorBudget& budget_;
    std::map<std::uint64_t, Line> lines_;
    std::string text_; // come and not looked at
    bool silent_ = false;
};

} // namespace mesh::host
