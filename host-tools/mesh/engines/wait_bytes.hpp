// The waits of a node as bytes, for a rank of the same tool.
#pragma once

#include "host-tools/mesh/common/bytes.hpp"
#include "node_waits.hpp"

#include <span>
#include <vector>

namespace mesh::host {

Bytes bytes_of_waits(std::span<const WaitsFor> waits);
/// The same again; of bytes that are cut off or have no sense, those before.
std::vector<WaitsFor> waits_of_bytes(std::span<const std::byte> bytes);

} // namespace mesh::host
