// The same with so many pages that they are mapped, not copied. // build: --engine sim
#define COUNTS 50000
#include "starts.cpp"
