// A page loads no programs, so nobody has globals to be mapped.
#include "host-tools/mesh/programs/shelves.hpp"
