// Believes that messages come in the order of their senders. // build: --engine sim
#include "racy.hpp"

bool is_right(unsigned order) { return order == 123; }
