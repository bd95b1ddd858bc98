// Any bytes as a capture: reading and joining them never goes beyond their end, and every passage
// and trace event that comes of them is one of the mesh that the capture names.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/views/hops.hpp"
#include "host-tools/mesh/views/recording.hpp"
#include "require.hpp"

#include <cstdint>
#include <span>

namespace {

using namespace mesh;

void check(const host::Recording& recording) {
    for (const host::Passage& passage : recording.passages)
        require(index(passage.from) < recording.nodes() && index(passage.to) < recording.nodes() &&
                index(passage.out) < port_count(recording.network));
    for (const host::RecordedTraceEvent& event : recording.trace_events)
        require(index(event.node) < recording.nodes() &&
                event.passages_before <= recording.passages.size());
    require(host::hops_of(recording).size() <= recording.passages.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        host::Recording recording;
        host::read_recording(std::as_bytes(std::span(data, size)), "input", recording);
        check(recording);
    } catch (const host::UsageError&) { // no capture of a mesh
    }
    return 0;
}
