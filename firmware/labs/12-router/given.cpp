// Lab 12: a router in software. Given: it stays as it is.
//
// Each node has a parcel for each other node. Parcels go from neighbour to neighbour, and the
// answer says by which port. A node is done when all parcels for it have come, and ends when all
// are done.
#include "meshputer.hpp"

using namespace mesh;

struct Parcel {
    std::uint16_t from = 0;
    std::uint16_t to = 0;
    std::uint16_t links = 0; // that it has crossed
};

constexpr Tag kParcel = 1, kEnd = 2;
constexpr NodeId kCounter{0};

#include "answer.hpp"

/// The port behind which a neighbour is.
static Port port_to(Kernel& node, NodeId neighbor) {
    unsigned port = 0;
    while (node.neighbor(port_at(port)) != neighbor)
        ++port;
    return port_at(port);
}

/// Puts the parcel to the neighbour that the answer names.
static Status pass_on(Kernel& node, Outbox& outbox, Parcel parcel, Port arrival) {
    const Port port = next_port(node.network(), node.id(), node_at(parcel.to), arrival);
    if (index(port) >= node.ports()) {
        print("no port {} for a parcel from {} to {}\n", index(port), parcel.from, parcel.to);
        return Status::failed;
    }
    if (++parcel.links > node.nodes()) {
        print("a parcel from {} to {} goes round and round\n", parcel.from, parcel.to);
        return Status::failed;
    }
    return outbox.try_put(parcel, node.neighbor(port), kParcel);
}

Process app_main(Kernel& node) {
    const unsigned me = index(node.id());
    const auto to = [&](unsigned far) { return (me + far) % node.nodes(); };
    Outbox outbox{node, node.workspace()};
    Status status = Status::ok;
    for (unsigned far = 1; far < node.nodes() && status == Status::ok; ++far)
        status = pass_on(node, outbox, {std::uint16_t(me), std::uint16_t(to(far)), 0}, kNoPort);
    unsigned links = 0, done = 0;
    for (unsigned mine = 1; status == Status::ok && done < node.nodes();) {
        Parcel parcel;
        const Received got = co_await receive_value(node, parcel);
        status = got.status;
        if (status == Status::ok && got.tag == kParcel && parcel.to != me)
            status = pass_on(node, outbox, parcel, port_to(node, got.source));
        if (status != Status::ok || (got.tag == kParcel && parcel.to != me))
            continue;
        links += parcel.links;
        done += got.tag == kEnd ? 1 : 0;
        if (got.tag == kParcel && ++mine == node.nodes())
            for (unsigned far = 0; far < node.nodes() && status == Status::ok; ++far)
                status = outbox.try_put(Parcel{}, node_at(to(far)), kEnd);
    }
    status = first_failure(status, co_await outbox.flush());
    if (status == Status::ok)
        print("all parcels have come, over {} links\n", links);
    co_return status;
}
