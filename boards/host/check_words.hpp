// The texts of failed CHECKs, for a person. Only programs of the host have them: a node sends a
// number.
#pragma once

#include "hal/check.hpp"

#include <string_view>

namespace mesh {

std::string_view words_of(CheckId id);

} // namespace mesh
