/* The kernel from C: messages of 0 bytes to 1 MiB between the nodes of a mesh, for firmware that
   has a main() of its own. Nothing here waits, nothing takes memory from a heap.

     struct mesh_node* node;
     mesh_open(&node, &setup);
     for (;;) {
         if (mesh_turn(node) != 0)
             __WFI();                                   // or the rest of the firmware's work
         if (mesh_receive(node, room, sizeof room, &got))
             handle(&got, room);
     }

   An interrupt that comes between mesh_turn() and the sleep is noticed with the next one, so the
   firmware has a tick.

   One task calls all functions, the owner of the node. From any other task, and from interrupts,
   two may be called: mesh_post() and mesh_on_interrupt(). Memory that is said to be the library's
   "until then" is read or written by it meanwhile: it is no variable of a function that returns
   before. meshputer::c is the target for CMake (firmware/CMakeLists.txt). */
#ifndef MESHPUTER_H
#define MESHPUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A node of this image; the library has the memory of one. */
struct mesh_node;

/* The outcome of a call, or of a message: each function says which it gives. They are those of the
   kernel (kernel/base/status.hpp). */
enum mesh_status {
    MESH_OK,
    MESH_NO_MEMORY,
    MESH_UNREACHABLE,
    MESH_BAD_ARGUMENT,
    MESH_TRUNCATED,
    MESH_FAILED,
    MESH_TIMED_OUT,
    MESH_NO_VERDICT,
    MESH_TAG_IN_USE,
    MESH_IN_DOUBT
};

enum mesh_topology { MESH_CUBE, MESH_UHC, MESH_STAR };

/* The largest tag of a message. */
#define MESH_TAG_MAX 0x7BFF

/* What the firmware does for the library: its UARTs, one for each port, by number from 0 on, and a
   clock. Each function gets setup.context first. Where it says so, interrupts call it as well, by
   way of mesh_on_interrupt(). All must be there. */
struct mesh_driver {
    /* A counter of microseconds, of 32 bits, which goes on from its greatest value at 0. */
    uint32_t (*now_us)(void* context);
    /* Bytes that can be read from a port now. Interrupts, too. */
    unsigned (*waiting)(void* context, unsigned port);
    /* The next of them. Interrupts, too. */
    uint8_t (*read)(void* context, unsigned port);
    /* Bytes that can be written to a port now. Interrupts, too. */
    unsigned (*room)(void* context, unsigned port);
    /* Writes one of them. Interrupts, too. */
    void (*write)(void* context, unsigned port, uint8_t byte);
    /* True when all bytes that were written have left. */
    bool (*drained)(void* context, unsigned port);
    /* Switches the interrupt on or off that says that bytes have come. Interrupts, too. */
    void (*tell_received)(void* context, unsigned port, bool on);
    /* Switches the interrupt on or off that says that there is room. Interrupts, too. */
    void (*tell_room)(void* context, unsigned port, bool on);
    /* Holds the interrupts of the ports back, and gives what release() needs; it nests. */
    uint32_t (*hold)(void* context);
    /* As it was before that hold(). */
    void (*release)(void* context, uint32_t held);
    /* A defect or a misuse was found, by this number (hal/check.hpp). It does not return.
       Interrupts, too. */
    void (*failed)(void* context, uint32_t check);
};

/* Who a node is, and what it gets. The driver must stay; the rest is read once. */
struct mesh_setup {
    enum mesh_topology topology;
    unsigned dimension; /* of the network: of a cube, the ports in use */
    uint32_t node;      /* 0 .. nodes - 1; no other node has the same number */
    /* Another number at each power-on, as of a random generator, so that others hear a node that
       has forgotten all. 0: there is none, and power comes back at all nodes at once. */
    uint16_t birth;
    const struct mesh_driver* driver;
    void* context;
    /* The ring of mesh_post(): aligned to 8, a power of two of bytes (else the next smaller one is
       used), the library's for good. NULL and 0: nobody posts. */
    void* posts;
    size_t posts_bytes;
};

/* What has become of a message. `ended` is false while it is under way; then `status` counts:
   MESH_OK: its receiver has taken all of it; MESH_UNREACHABLE: the receiver does not answer by any
   path, or has left it; of mesh_give_up(): MESH_TIMED_OUT, MESH_IN_DOUBT. May be read anywhere. */
struct mesh_fate {
    volatile bool ended;
    volatile uint8_t status; /* enum mesh_status */
};

/* A message that is sent, and its fate. Need not be set to anything before. */
struct mesh_sending {
    struct mesh_fate fate;
    uint64_t library[sizeof(void*) == 4 ? 28 : 36]; /* the library's own */
};

/* A message that has come. */
struct mesh_received {
    enum mesh_status status;
    uint32_t source; /* the node that has sent it */
    uint32_t bytes;  /* of the whole message */
    uint16_t tag;
};

/* A node as it is now. */
struct mesh_state {
    uint32_t node;       /* its number */
    uint32_t nodes;      /* of the network */
    uint32_t ports;      /* of the node */
    uint32_t dead_ports; /* bit d: nothing gets through at port d, which is asked again and again */
    uint32_t under_way;  /* messages whose fate has not ended */
};

/* Begins the node of this image; its ports are set up. `*node` is set before the first interrupt of
   a port is switched on. MESH_OK; MESH_BAD_ARGUMENT: there is no such network or node, or it is
   larger than MESHPUTER_PORTS and MESHPUTER_NODES say; MESH_NO_MEMORY: it was called before. A
   network that is not among MESHPUTER_NETWORKS ends in driver->failed(). Not for interrupts. */
enum mesh_status mesh_open(struct mesh_node** node, const struct mesh_setup* setup);

/* Does what can be done now, for one frame that has come at most. Gives the microseconds for which
   nothing is to be done if no interrupt of a port comes and nothing else is called: 0, call again
   at once; UINT32_MAX, for ever. To be called by the owner alone. It takes as long as a frame: its
   bytes are copied once, and its checksum is computed. */
uint32_t mesh_turn(struct mesh_node* node);

/* To be called by the interrupt of a port, 0 .. ports - 1, whatever it tells; where ports have
   none, before each mesh_turn(). It moves the bytes that are there: those of a FIFO at most. */
void mesh_on_interrupt(struct mesh_node* node, unsigned port);

/* Begins to send `bytes` (0 .. 2^20) of `data` to node `to` under `tag` (0 .. MESH_TAG_MAX).
   `sending` and `data` are the library's until sending->fate.ended. MESH_OK: it is under way;
   MESH_BAD_ARGUMENT: no such node, tag or size; then nothing is the library's. Messages to one node
   under one tag come in the order in which they were sent and posted. Any number may be under way.
   Not for interrupts. O(messages under way). */
enum mesh_status mesh_send(struct mesh_node* node, struct mesh_sending* sending, uint32_t to,
                           uint16_t tag, const void* data, uint32_t bytes);

/* The same to all other nodes, in the order of their numbers: `sendings` are nodes - 1. Each has
   its own fate, so a dead node keeps nobody from it. MESH_BAD_ARGUMENT: nothing was sent. It costs
   this node's links as many messages. */
enum mesh_status mesh_broadcast(struct mesh_node* node, struct mesh_sending* sendings, uint16_t tag,
                                const void* data, uint32_t bytes);

/* Ends `sending`, if it is under way: it and its data are the caller's again. Its status is then
   MESH_TIMED_OUT: nothing has left; or MESH_IN_DOUBT: the receiver may get it still, or a part that
   ends as MESH_UNREACHABLE there. Not for interrupts. */
void mesh_give_up(struct mesh_node* node, struct mesh_sending* sending);

/* Looks for the next message of any node. `room` is the library's until the call that gives true:
   call it again with the same room, once for each mesh_turn(). False: none is whole yet. True:
   `got` says what came. MESH_OK: `bytes` of it lie in `room`; MESH_TRUNCATED: it has got->bytes,
   more than `room_bytes`, and stays where it is, for a call with more room; MESH_UNREACHABLE: its
   sender went in the midst of it, or has given it up; MESH_BAD_ARGUMENT: another room is the
   library's. With a room of 0 bytes it asks how many the next one has. Not for interrupts. */
bool mesh_receive(struct mesh_node* node, void* room, size_t room_bytes, struct mesh_received* got);

/* Puts a copy of a message into the ring, from where mesh_turn() sends it; as mesh_send() else.
   Never waits and holds no interrupts back: any number of tasks and interrupts may be in it at a
   time. Whoever may sleep after mesh_turn() is to be woken. It costs MESH_POST_BYTES and `bytes`,
   rounded up to 8, of the ring until it has ended. `fate`: told what becomes of it, the library's
   until it has ended; or NULL. MESH_OK: it is in the ring; MESH_NO_MEMORY: the ring has no room
   now; MESH_BAD_ARGUMENT: no such node or tag, or it needs more than half of the ring. O(bytes). It
   needs a processor with exclusive access: on v6-M it does not link. */
enum mesh_status mesh_post(struct mesh_node* node, struct mesh_fate* fate, uint32_t to,
                           uint16_t tag, const void* data, uint32_t bytes);
#define MESH_POST_BYTES (sizeof(struct mesh_sending) + 16)

/* What is known of the node now. Not for interrupts. */
void mesh_look(const struct mesh_node* node, struct mesh_state* state);

#ifdef __cplusplus
}
#endif
#endif
