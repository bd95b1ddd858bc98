// The same, few enough to be copied. // build: --engine sim
#define PAGES 5
#include "pages.cpp"
