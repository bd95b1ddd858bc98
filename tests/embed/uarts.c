#include "uarts.h"

#include <stddef.h>
#include <stdio.h>

/* [RM0090] 30.6.8 USART register map. */
struct usart {
    volatile uint32_t status, data, divisor, control;
};

enum { SENDS = 1 << 3, LISTENS = 1 << 2, ON = 1 << 13, TELLS_RECEIVED = 1 << 5, TELLS_ROOM = 1 << 7 };

static struct usart* const console = (struct usart*)0x40011000;
static struct usart* const ports[2] = {(struct usart*)0x40004400, (struct usart*)0x40004800};

static volatile uint32_t* device(uintptr_t address) { return (volatile uint32_t*)address; }

void start_devices(void) {
    console->control = ON | SENDS;
    *device(0x40000028) = 1000 - 1; /* TIM2_PSC; QEMU's timer has 1 GHz */
    *device(0x40000014) = 1;        /* TIM2_EGR */
    *device(0x40000000) = 1;        /* TIM2_CR1 */
    for (unsigned port = 0; port < 2; ++port) {
        ports[port]->divisor = 42000000 / 500000;
        ports[port]->control = ON | SENDS | LISTENS;
        *device(0xE000E104) = 1u << (38 + port - 32); /* ISER1 */
    }
    *device(0xE000E014) = 168000 - 1; /* SysTick: a millisecond */
    *device(0xE000E010) = 7;
}

void sleep(void) { __asm__ volatile("dsb\n\twfi" ::: "memory"); }

static void set(struct usart* usart, uint32_t which, bool on) {
    usart->control = on ? usart->control | which : usart->control & ~which;
}

static uint32_t now_us(void* context) {
    (void)context;
    return *device(0x40000024);
}
static unsigned waiting(void* context, unsigned port) {
    (void)context;
    return ports[port]->status >> 5 & 1;
}
static uint8_t read(void* context, unsigned port) {
    (void)context;
    return (uint8_t)ports[port]->data;
}
static unsigned room(void* context, unsigned port) {
    (void)context;
    return ports[port]->status >> 7 & 1;
}
static void write(void* context, unsigned port, uint8_t byte) {
    (void)context;
    ports[port]->data = byte;
}
static bool drained(void* context, unsigned port) {
    (void)context;
    return (ports[port]->status >> 6 & 1) != 0;
}
static void tell_received(void* context, unsigned port, bool on) {
    (void)context;
    set(ports[port], TELLS_RECEIVED, on);
}
static void tell_room(void* context, unsigned port, bool on) {
    (void)context;
    set(ports[port], TELLS_ROOM, on);
}
static uint32_t hold(void* context) {
    uint32_t before;
    (void)context;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}
static void release(void* context, uint32_t held) {
    (void)context;
    __asm__ volatile("msr primask, %0" ::"r"(held) : "memory");
}
static void failed(void* context, uint32_t check) {
    (void)context;
    printf("stopped by check %u\n", (unsigned)check);
    for (;;)
        sleep();
}

const struct mesh_driver uarts = {
    .now_us = now_us,
    .waiting = waiting,
    .read = read,
    .room = room,
    .write = write,
    .drained = drained,
    .tell_received = tell_received,
    .tell_room = tell_room,
    .hold = hold,
    .release = release,
    .failed = failed,
};

/* For newlib's printf. */
int _write(int file, const char* text, int bytes) {
    (void)file;
    for (int byte = 0; byte < bytes; ++byte) {
        while ((console->status >> 7 & 1) == 0) {
        }
        console->data = (unsigned char)text[byte];
    }
    return bytes;
}
