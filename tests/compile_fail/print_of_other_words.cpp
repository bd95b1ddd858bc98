// The text of print() is checked against its values.
// EXPECT: print_has_more_values_than_braces
// EXPECT: print_has_fewer_values_than_braces
// EXPECT: print_cannot_print_a_value_in_this_way
// EXPECT: print_has_a_brace_that_is_not_closed
#include "library/print.hpp"

void program(float number) {
#ifdef MESH_COMPILES
    mesh::print("{} of {:x}, {:.2f}\n", 1, 2, number);
#else
    mesh::print("{}\n", 1, 2);
    mesh::print("{} of {}\n", 1);
    mesh::print("{:.2f}\n", 1);
    mesh::print("{\n", number);
#endif
}
