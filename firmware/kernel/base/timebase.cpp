#include "kernel/base/timebase.hpp"

namespace mesh {

std::uint64_t Timebase::in_pause(std::uint64_t pause, unsigned in_vain, unsigned most) const {
    return now_ + (pause << std::min(in_vain, most));
}

} // namespace mesh
