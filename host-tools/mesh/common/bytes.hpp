// Bytes with an owner.
#pragma once

#include <cstddef>
#include <vector>

namespace mesh::host {

using Bytes = std::vector<std::byte>;

} // namespace mesh::host
