// An image as the memory has it that a loader puts it into.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mesh::host {

/// What `loader`, an image of a loader, is to bring of `path`. UsageError: nothing in it, made for
/// another place, or too large for the loader's room.
std::vector<std::byte> flat_image(const std::string& path, const std::string& loader);

} // namespace mesh::host
