// The same firmware without the kernel, for its size.
#include "vendor.hpp"

#include <cstdio>

extern "C" {
void USART2_IRQHandler() {}
void USART3_IRQHandler() {}
}

int main() {
    start_devices();
    std::printf("%.3f V\n", static_cast<double>(clock_us()));
    for (;;) {
    }
}
