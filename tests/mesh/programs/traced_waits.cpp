// build: --trace
// tests/mesh/apps/waits.cpp with a scheduler that traces.
#include "../apps/waits.cpp"
