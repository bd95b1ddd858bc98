// The same, mended: the sum of what has come is the same. // build: --engine sim
#include "racy.hpp"

bool is_right(unsigned order) { return order % 9 == 6; }
