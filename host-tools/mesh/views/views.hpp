// The views of a recording, by the values of `mesh view --format`.
#pragma once

#include "hops.hpp"
#include "recording.hpp"

#include <string>

namespace mesh::host {

/// A recording, and the data derived from it.
struct Scene {
    /// UsageError, see read_recording().
    Scene(std::span<const std::byte> file, const std::string& name) {
        read_recording(file, name, recording);
        hops = hops_of(recording);
    }
    Scene(const Scene&) = delete; // hops point into the recording
    Scene& operator=(const Scene&) = delete;

    Recording recording;
    std::vector<PacketHop> hops;
};

/// A table with a line for each frame, to be searched.
std::string text_view(const Scene& scene);
/// The same as a JSON array.
std::string json_view(const Scene& scene);
/// Chrome's trace events, for Perfetto: a process for each node, and an arrow for each hop.
std::string trace_view(const Scene& scene);
/// A space-time diagram: nodes downward, model time to the right.
std::string svg_view(const Scene& scene);
/// One page with all pictures, without network or foreign code. `beside`: a second run on the same
/// clock; then it has only the pictures that compare the two.
std::string html_view(const Scene& scene, const Scene* beside = nullptr);

/// The n for drawing every nth of `hops` hops, so that no more than `most` are drawn.
inline std::size_t thinning(std::size_t hops, std::size_t most) { return (hops + most - 1) / most; }

} // namespace mesh::host
