/* What the firmware in C has without the kernel: console, clock, tick; and its UARTs for that. */
#ifndef UARTS_H
#define UARTS_H

#include <meshputer.h>
#include <stdint.h>

void start_devices(void);
/* Sleeps until the next interrupt, a tick of a millisecond at the latest. */
void sleep(void);

/* USART2 and USART3, whose cables lead to neighbours. */
extern const struct mesh_driver uarts;

#endif
