// The symbols of an image, for code that reads the memory of its node: names of functions,
// places of variables, where awaiting objects keep what they wait for (kernel/api/waits.hpp), and
// how much memory the node has (kernel/node/node_memory.hpp).
#pragma once

#include "kernel/api/waits.hpp"
#include "kernel/node/node_memory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mesh::host {

class ImageSymbols {
public:
    struct Variable {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
    };

    /// The symbols of a board's image. UsageError: the image is not there, or no program.
    explicit ImageSymbols(const std::string& image);

    /// The function that begins there, demangled; "" if none does.
    std::string function_at(std::uint64_t address) const;
    /// The variable with this name, the last part of its full one, without namespaces.
    std::optional<Variable> variable(std::string_view name) const;
    /// The value of a label of the linker's script; 0: the image has no such label.
    std::uint64_t label(std::string_view name) const;
    const std::vector<WaitOffsets>& wait_offsets() const { return offsets_; }
    /// No sizes: the image has no such memory.
    const NodeMemoryRecord& node_memory() const { return memory_; }

private:
    std::unordered_map<std::uint64_t, std::string> functions_; // mangled
    std::unordered_map<std::string, Variable> variables_;      // mangled
    std::unordered_map<std::string, std::uint64_t> labels_;
    std::vector<WaitOffsets> offsets_;
    NodeMemoryRecord memory_;
};

/// The name as a person writes it; unchanged if it is no name of C++.
std::string demangled(const std::string& name);

} // namespace mesh::host
