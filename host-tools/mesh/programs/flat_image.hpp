// An image as the bytes of memory that a loader writes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mesh::host {

/// The bytes of the image `path` that `loader`, an image of a loader, is to bring. UsageError: the
/// image is empty, made for another place, or too large for the loader's room.
std::vector<std::byte> flat_image(const std::string& path, const std::string& loader);

} // namespace mesh::host
