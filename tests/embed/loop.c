/* A firmware in C whose main() is a loop: one call in it is the kernel's. Each node sends node 0 two
   numbers, node 0 tells all others when it has them, and the tick of each then posts an answer. */
#include "uarts.h"

#include <stdio.h>

enum { NUMBER = 1, HEARD = 2, ANSWER = 3 };

/* Whoever installs the device wrote it behind the RAM that the linker gives away. */
static const uint8_t* const identity = (const uint8_t*)0x2001FFF0;

static struct mesh_node* node;
static uint64_t posts[128];
static volatile bool answers; /* with the next tick */

void SysTick_Handler(void) {
    static const char yes[] = "heard";
    if (answers && mesh_post(node, NULL, 0, ANSWER, yes, sizeof yes) == MESH_OK)
        answers = false; /* else again with the next tick: the ring was full */
}
void USART2_IRQHandler(void) { mesh_on_interrupt(node, 0); }
void USART3_IRQHandler(void) { mesh_on_interrupt(node, 1); }

static unsigned numbers, out_of_order, heard;

static void handle(const struct mesh_received* got, const uint8_t* room) {
    static uint8_t last[4];
    switch (got->status == MESH_OK ? got->tag : 0) {
    case NUMBER:
        ++numbers;
        out_of_order += room[0] != last[got->source]++;
        break;
    case HEARD: answers = true; break;
    case ANSWER: ++heard; break;
    default: printf("status %u\n", (unsigned)got->status);
    }
}

static bool all_taken(const struct mesh_sending* sendings, unsigned count) {
    while (count != 0 && sendings[count - 1].fate.ended &&
           sendings[count - 1].fate.status == MESH_OK)
        --count;
    return count == 0;
}

int main(void) {
    static const uint8_t values[2] = {0, 1};
    static struct mesh_sending mine[2], told[3];
    static uint8_t room[64];
    struct mesh_received got;
    struct mesh_state state;
    const struct mesh_setup setup = {.topology = MESH_CUBE,
                                     .dimension = identity[2],
                                     .node = identity[5],
                                     .driver = &uarts,
                                     .posts = posts,
                                     .posts_bytes = sizeof posts};
    bool tells = false, done = false;

    start_devices();
    puts("loop");
    if (mesh_open(&node, &setup) != MESH_OK)
        return 1;
    mesh_look(node, &state);
    for (unsigned number = 0; number < 2 && state.node != 0; ++number)
        if (mesh_send(node, &mine[number], 0, NUMBER, &values[number], 1) != MESH_OK)
            return 1;
    for (;;) {
        if (mesh_turn(node) != 0)
            sleep();
        if (mesh_receive(node, room, sizeof room, &got))
            handle(&got, room);
        if (state.node != 0)
            continue;
        if (numbers == 6 && !tells) {
            tells = true;
            printf("node 0 of %u has %u numbers, %u out of order\n", (unsigned)state.nodes, numbers,
                   out_of_order);
            if (mesh_broadcast(node, told, HEARD, NULL, 0) != MESH_OK)
                return 1;
        }
        if (tells && heard == 3 && !done && all_taken(told, 3)) {
            done = true;
            puts("all have heard so, and said it from their ticks");
        }
    }
}
