// Messages between a node and the host tool. Each travels as the payload of one packet in a frame
// of Kind::host; the packet's tag says which. Plain structs, little-endian, whole words.
//
// The node asks for data in chunks that its network interface has room for; everything else from
// the host is one small frame at a time. Data may be lost all the same, since neighbours may send
// more than their share for a moment; a node that runs free asks for it again.
#pragma once

#include "core/base/order.hpp"
#include "core/network.hpp"
#include "wire/counters.hpp"
#include "wire/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mesh::wire {

enum class HostTag : std::uint16_t {
    // node to host
    ready = 1, // Ready: self-check of all ports is done
    accepted,  // empty: the job is prepared
    pull,      // Pull: wants this chunk of the input (answered by `chunk`)
    push,      // Chunk header and bytes: part of the output
    console,   // text of an app, at most one line per frame
    report,    // NodeReport: answer to `poll`, or sent once when the job is done
    fault,     // CrashRecord: the firmware stopped
    // host to node
    job,   // Job and, for apps, the arguments as NUL-terminated words: prepare
    start, // all nodes are prepared; begin. Empty, or the ModelTime that the run has come to
    chunk, // Chunk header and bytes: answer to `pull`
    poll,  // send a report now; if not empty, first ask again after all that this node waits for
    hang,  // empty: stop working without a sign (fault injection)
    // node to host
    abort, // text: the program ends the whole run
    trace, // ProcessTrace, and what a blocked process waits for; of images that trace
    // host to node
    no_carrier, // PortSet: behind these ports no node has power any more
    // node to host
    began_anew,      // BeganAnew: the first message of a node that was reset by itself
    may_begin_again, // empty: if the node is reset, its program may begin again
    // host to node
    resets, // std::uint32_t: the node's count of its resets before its power failed
};

enum class Op : std::uint8_t {
    none, // no program: the node only forwards for others
    bcast,
    send,
    barrier,
    app,
    scatter,
    gather,
    reduce,
    allreduce,
    scan,
    allgather,
    alltoall,
    ascend,
    descend,
    sort,
    fft
};
using mesh::PortModel;
/// Room for what one op is told beyond that; its programs and the host know what it is.
inline constexpr std::size_t kJobParameterBytes = 16;

/// Result of the self-check at boot.
struct Ready {
    std::uint32_t ports_good;     // bit set
    std::uint32_t ports_miswired; // bit set: peer or its port is not what the topology says
    std::uint32_t miswired_port;  // first of them
    std::uint32_t found_node;     // the node that answered there
    std::uint16_t found_port;     // by which of its ports
    std::uint16_t start;          // Identity::start of the node
};

/// The job as the host sends it to every node: what all ops share.
struct Job {
    Op op = Op::none;
    Rule rule = Rule::sbt;
    PortModel ports = PortModel::all;
    std::uint8_t lockstep = 0;
    std::uint16_t rto_min_ms = 0; // free running: least time before a frame is sent again
    std::uint16_t zero = 0;
    std::uint32_t root = 0;            // of a collective; of send: the only sender
    std::uint32_t message_bytes = 0;   // of a block, where each node has one
    std::uint32_t packet_bytes = 1024; // 0: unbounded
    std::uint32_t tau_ticks = 1'000'000;
    std::uint32_t tc_ticks = 0;  // per byte
    std::uint32_t has_input = 0; // data comes from the host by `pull`; else from the seed
    std::uint64_t seed = 1;
    std::uint32_t input_bytes = 0;           // of the whole input
    std::uint32_t output_node = 0xFFFF'FFFF; // this node pushes what it got to the host
    std::array<std::byte, kJobParameterBytes>
        parameters{}; // of the op (firmware/ops/parameters.hpp)
};

/// A node that has power was reset: its processor by itself, a watchdog, or its program.
struct BeganAnew {
    std::uint32_t resets;          // so often, since the node was started: 1 at least
    std::uint32_t may_begin_again; // 1: its program said so in a life before; that word may be lost
};

struct Pull {
    std::uint32_t position;
    std::uint32_t bytes;
};

struct Chunk {
    std::uint32_t position;
    std::uint32_t bytes; // that follow this header
};

/// Largest chunk of data that crosses in one frame (bounded by the share of the receive FIFO that
/// is kept for the host, and by the packets of the board).
inline constexpr std::size_t kHostChunkBytesMax =
    least<std::size_t>(512, kPayloadBytesMax - sizeof(Chunk));

/// The result of a node's program, as it counts it itself.
struct Result {
    std::uint32_t crc =
        0; // CRC-32 of what this node got, in order; send: sum of the messages' CRCs
    std::uint32_t received_bytes = 0;
    std::uint32_t received_packets = 0;
    std::uint32_t received_messages = 0;
    std::uint32_t received_copies = 0;  // bcast with copies: all that came
    std::uint32_t disputed_packets = 0; // of these, packets whose copies were not all alike
    ModelTime copies_time = 0;          // when the last of them came
    std::uint32_t longest_turn_us = 0; // of a process, where turns are measured (library/turns.hpp)
    std::uint32_t longest_turn_process = 0; // its slot
};

/// The report of a node: its program, its links, its counters. It is the one message that may be
/// larger than a packet: then it comes in several, which say position and bytes of the whole.
struct NodeReport : Result {
    std::uint32_t done;           // 1: the job's process has ended here
    std::uint32_t status;         // mesh::Status of the job's process
    std::uint32_t delivery_hash;  // depends on the order of all deliveries at this node
    std::uint32_t unacknowledged; // frames in flight, packets that wait for a port, processes for
                                  // the host or a time, or one that computes
    ModelTime finish_time;        // model clock of the job's process
    std::array<std::uint32_t, kCounterCount> counters;
    std::array<std::uint32_t, kPortsMax> link_packets;  // data packets per out-port, no repeats
    std::array<std::uint32_t, kPortsMax> dma_transfers; // per DMA channel
    std::uint32_t dead_ports;                           // bit set
    std::uint32_t computing_ms;   // that a process has computed for without waiting; 0 if none does
    std::uint32_t untaken;        // packets in the mailbox, offers of messages included
    std::uint32_t untaken_source; // of the first of them
    std::uint16_t untaken_tag;
    std::uint16_t untaken_service; // mesh::Service
};

/// CrashRecord::cause from here on: an exception of the processor, whose number is added.
inline constexpr std::uint32_t kProcessorFault = 0xF000'0000;

/// Why a node's firmware stopped.
struct CrashRecord {
    std::uint32_t cause;   // a CheckId (hal/check.hpp), or kProcessorFault and a number
    std::uint32_t pc;      // where; 0: not known. Odd (Thumb): where it would have returned to
    std::uint32_t lr;      // where that returns to, or the latest return that is known
    std::uint32_t status;  // the processor's own word for its fault; Cortex-M: CFSR
    std::uint32_t address; // what could not be accessed, if the status says that it is known
};

/// A trace event of a process of a node.
struct ProcessTrace {
    /// Bytes that are sent of the object that a blocked process waits for: more than any object
    /// has.
    static constexpr std::size_t kObjectBytes = 176;

    ModelTime clock = 0;      // its own
    std::uint32_t object = 0; // address of what it waits for
    std::uint8_t event = 0;   // mesh::ProcessEvent
    std::uint8_t process = 0; // its slot
    std::uint16_t zero = 0;
};

static_assert(sizeof(Job) == 64);
static_assert(sizeof(NodeReport) % 4 == 0 && sizeof(NodeReport) <= kPayloadBytesMost);
static_assert(sizeof(ProcessTrace) + ProcessTrace::kObjectBytes <= kPayloadBytesLeast);
static_assert(std::is_trivially_copyable_v<Job> && std::is_trivially_copyable_v<NodeReport>);

/// Makes a packet of `payload`, a whole message, at the begin of `room`, which it fits; gives that
/// part of the room, sealed. Of `header` both lengths are filled in.
inline std::span<std::byte> make_packet(std::span<std::byte> room, PacketHeader header,
                                        std::span<const std::byte> payload) {
    const auto packet = room.first(kPacketHeaderBytes + payload.size());
    header.payload_bytes = static_cast<std::uint16_t>(payload.size());
    header.total_bytes = static_cast<std::uint32_t>(payload.size());
    write_packet_header(header, packet.first<kPacketHeaderBytes>());
    copy_row(payload.begin(), payload.size(), packet.begin() + kPacketHeaderBytes);
    seal_packet(packet);
    return packet;
}

} // namespace mesh::wire
