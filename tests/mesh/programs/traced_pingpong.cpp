// build: --trace
// The app pingpong with a scheduler that traces.
#include "../../../firmware/apps/pingpong.cpp"
