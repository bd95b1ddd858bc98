// A board of a mesh that stands alone: no host says who a node is, nor when its program begins. It
// is made of a board without a host port, as RelayBoard is, and is one, so a host may still come.
//
// One node was given its identity, with number 0: it numbers its neighbours, and they theirs, each
// by its neighbour's address and the port (onecable/relay.hpp). Whoever has a number begins its
// program; packets wait at neighbours that have none yet. What node 0 prints goes to its host line
// as it is, for a terminal; what others print goes nowhere, so they send node 0 what they found.
//
// A host that numbers the nodes takes over: all reset, node 0 leaves numbering to the host from
// then on, and a program begins when the host says so, as in every mesh with one host cable.
#pragma once

#include "onecable/relay_board.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mesh {

/// A node's memory of its last life. A reset leaves it as it is; power-on has anything in it.
struct AloneMemory {
    /// Values of `numbered`. Any other value: the mesh was not numbered since power-on.
    static constexpr std::uint32_t kHosted = 0x4057'ED01;
    static constexpr std::uint32_t kAlone = 0x4057'ED02;

    std::uint32_t numbered; // kHosted: a host has numbered the mesh; kAlone: node 0
    std::uint32_t run;      // the last numbering of node 0 by itself
};

/// A board whose host line is a terminal where the mesh stands alone: frames for the host go
/// nowhere.
template <hal::Board B>
class TerminalBoard : public B {
public:
    void be_terminal(bool is = true) { terminal_ = is; }
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        if (!terminal_ || port != kHostPort)
            B::transmit(port, head, packet);
    }

private:
    bool terminal_ = false;
};

template <hal::Board B>
class AloneBoard : public RelayBoard<TerminalBoard<B>> {
    using Relayed = RelayBoard<TerminalBoard<B>>;

public:
    /// `print`: writes text to the host line and returns when it has left. For the others see
    /// RelayBoard.
    AloneBoard(std::string_view made_for, Relay::Kept& kept, AloneMemory& memory, void (*restart)(),
               void (*print)(std::span<const std::byte> text))
        : Relayed(made_for, known(kept, memory), restart, typename Relayed::Unnumbered{}),
          memory_(memory),
          print_(print) {
        const wire::Identity given = board().identity();
        if (given.node == NodeId{0} && memory_.numbered != AloneMemory::kHosted)
            number(given.network);
        this->await_number();
        if (stands_alone())
            relay().say_nothing();
    }

    /// No host will say that the program begins.
    bool stands_alone() const { return relay().alone(); }
    /// To be called by `restart`, before the reset.
    void remember() const {
        memory_.numbered = stands_alone() ? AloneMemory::kAlone : AloneMemory::kHosted;
    }

    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        if (port != kHostPort || !stands_alone())
            return Relayed::transmit(port, head, packet);
        wire::PacketHeader header;
        if (wire::read_packet(packet, header) == wire::Parse::ok &&
            this->identity().node == NodeId{0} &&
            header.tag == static_cast<std::uint16_t>(wire::HostTag::console))
            print_(packet.subspan(wire::kPacketHeaderBytes));
    }

private:
    using Relayed::board;
    using Relayed::relay;

    /// Node 0 numbers the mesh, unless that is at work: then this node alone has lost its power,
    /// and its neighbours tell it its number. Or a host does, which has just loaded this image.
    void number(Network network) {
        board().be_terminal();
        if (memory_.numbered != AloneMemory::kAlone)
            this->listen();
        if (!relay().numbered())
            relay().number_alone(network, ++memory_.run);
        board().be_terminal(stands_alone());
        if (stands_alone())
            memory_.run = relay().run();
        remember();
    }

    /// Numbers of node 0 are right whenever they come: unlike those of a host, they may be the ones
    /// for which the node was reset.
    static Relay::Kept& known(Relay::Kept& kept, const AloneMemory& memory) {
        if (memory.numbered != AloneMemory::kHosted)
            kept = {};
        return kept;
    }

    AloneMemory& memory_;
    void (*print_)(std::span<const std::byte> text);
};

} // namespace mesh
