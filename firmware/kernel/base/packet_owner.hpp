// The owner of a packet: a mark in each buffer of a simulation or a test, checked by every function
// that is given a packet (MESH_EXPECT). Boards have neither the mark nor the checks.
//
// The code that runs has a packet from allocate() or the receiver on. It gives it to the mailbox
// (put() to remove()) or to a process (take() to release()), one of them at a time. Links share it
// beside that, each once, until it is acknowledged; so does what transmits it.
#pragma once

#include "core/base/expect.hpp"
#include "core/base/types.hpp"

#include <cstdint>

namespace mesh {

/// The owner of a packet, links aside.
enum class PacketOwner : std::uint8_t { code, mailbox, process };

#ifndef __arm__
/// The owner of one packet and the links that share it. A function that is called wrongly ends the
/// simulation or test (MESH_EXPECT).
class OwnerMark {
public:
    /// True if `owner` has the packet.
    bool is(PacketOwner owner) const { return owner_ == owner; }
    /// The packet goes to `to`. Precondition: `from` has it.
    void pass(PacketOwner from, PacketOwner to) {
        MESH_EXPECT(owner_ == from);
        owner_ = to;
    }
    /// The link at `port` shares it. Precondition: it does not yet.
    void enter_link(unsigned port) {
        MESH_EXPECT((links_ >> port & 1u) == 0); // a second time would break its queue
        links_ |= PortSet{1} << port;
    }
    /// The link at `port` does not share it any more. Precondition: it does.
    void leave_link(unsigned port) {
        MESH_EXPECT((links_ >> port & 1u) != 0);
        links_ &= ~(PortSet{1} << port);
    }
    /// Its last reference may go.
    bool is_free() const { return owner_ == PacketOwner::code && links_ == 0; }

private:
    PortSet links_ = 0;
    PacketOwner owner_ = PacketOwner::code;
};
#else
class OwnerMark {
public:
    void pass(PacketOwner /*from*/, PacketOwner /*to*/) {}
    void enter_link(unsigned /*port*/) {}
    void leave_link(unsigned /*port*/) {}
};
#endif

} // namespace mesh
