#include "process_traces.hpp"

#include "host-tools/mesh/engines/node_waits.hpp"
#include "kernel/processes/process_watch.hpp"

#include <algorithm>

namespace mesh::host {

namespace {

/// The part of a node's memory that came with a trace event.
class SentMemory final : public ProcessMemory {
public:
    SentMemory(const ImageSymbols& image, std::uint64_t address, std::span<const std::byte> bytes)
        : image_(image),
          address_(address),
          bytes_(bytes) {
        pointer_bytes = sizeof(std::uint32_t);
        offsets = image.wait_offsets();
    }

    bool read(std::uint64_t address, std::span<std::byte> out) override {
        const std::uint64_t from = address - address_;
        if (address < address_ || from > bytes_.size() || out.size() > bytes_.size() - from)
            return false;
        std::ranges::copy(bytes_.subspan(from, out.size()), out.begin());
        return true;
    }

    std::string function_at(std::uint64_t address) override { return image_.function_at(address); }

private:
    const ImageSymbols& image_;
    std::uint64_t address_;
    std::span<const std::byte> bytes_;
};

} // namespace

std::string ProcessTraces::waits_for(NodeId node, const wire::ProcessTrace& trace,
                                     std::span<const std::byte> object) {
    if (trace.event != static_cast<std::uint8_t>(ProcessEvent::blocked))
        return {};
    const std::string& image = plan_.program(node).image;
    SentMemory memory(images_.try_emplace(image, image).first->second, trace.object, object);
    return describe(wait_at(memory, trace.object));
}

} // namespace mesh::host
