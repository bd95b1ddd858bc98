// Counters go by name.
// EXPECT: no match for
#include "wire/counters.hpp"

unsigned drops(const mesh::Counters& counters) {
#ifdef MESH_COMPILES
    return counters[mesh::Counter::drop_crc];
#else
    return counters[9];
#endif
}
