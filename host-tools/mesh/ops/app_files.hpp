// The folder of `mesh run --app ... --files DIR`, as nodes pull it.
#pragma once

#include "host-tools/mesh/common/bytes.hpp"

#include <cstdint>
#include <string>

namespace mesh::host {

struct AppFiles {
    Bytes bytes;                  // from wire::kFilesAt on: a list, and the files that it names
    std::uint32_t list_bytes = 0; // 0: no folder
};

/// Reads all files of the folder and of those in it, as they are now. UsageError.
AppFiles read_app_files(const std::string& folder);

} // namespace mesh::host
