/* Start-up and vector table as vendors write them, for the interrupts that the firmware uses. */
#include <stdint.h>

extern uint32_t _estack, _sidata, _sdata, _edata, _sbss, _ebss;
extern void __libc_init_array(void);
extern int main(void);

void _init(void) {}

void Reset_Handler(void) {
    *(volatile uint32_t*)0xE000ED88 |= 0xFu << 20; /* CPACR: the FPU is on */
    const uint32_t* from = &_sidata;
    for (uint32_t* to = &_sdata; to < &_edata;)
        *to++ = *from++;
    for (uint32_t* to = &_sbss; to < &_ebss;)
        *to++ = 0;
    __libc_init_array();
    main();
    for (;;) {
    }
}

void Default_Handler(void) {
    for (;;) {
    }
}

void SysTick_Handler(void);
void USART2_IRQHandler(void);
void USART3_IRQHandler(void);

__attribute__((section(".isr_vector"), used)) static const void* const vectors[16 + 40] = {
    &_estack,
    Reset_Handler,
    Default_Handler, /* NMI */
    Default_Handler, /* hard fault, and those of memory, bus and usage */
    Default_Handler,
    Default_Handler,
    Default_Handler,
    [15] = SysTick_Handler,
    [16 + 38] = USART2_IRQHandler,
    [16 + 39] = USART3_IRQHandler,
};
