// The model clock: the times at which packets would arrive if the mesh had the links of the model.
//
// A packet of B payload bytes that starts on a link at time t occupies it until t + tau + B*t_c and
// is at the receiver then. Port models (Ho, Johnsson 1986, section 1): `all` ports at once,
// `duplex` one send and one receive at a time, `half` one send or one receive. Sends are booked in
// the order in which packets are handed to the ports; a receive that finds its node busy is shown
// as later arrival. Nothing here reads a real clock.
#pragma once

#include "core/base/order.hpp"
#include "core/base/types.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>

namespace mesh {

/// The bookings of one node: until when it sends and receives.
class ModelClock {
public:
    /// Ticks of model time, wire::kTicksPerUnit of them a unit.
    using Time = wire::ModelTime;

    /// Begins anew, with nothing booked: tau_ticks for a packet and tc_ticks for each byte of it.
    void configure(PortModel model, std::uint32_t tau_ticks, std::uint32_t tc_ticks) {
        sending_until_ = receiving_until_ = 0;
        model_ = model;
        tau_ = tau_ticks;
        tc_ = tc_ticks;
    }

    /// The port model that configure() was given; `all` before.
    PortModel model() const { return model_; }

    /// How long `payload_bytes` occupy a link.
    Time duration(std::uint32_t payload_bytes) const { return tau_ + Time{tc_} * payload_bytes; }

    /// Books a send that may start at `ready` on a link that is busy until `link_busy` (updated).
    /// Returns when the packet is at the other end.
    Time send(Time ready, Time& link_busy, Time length) {
        Time start = greatest(ready, link_busy);
        if (model_ != PortModel::all)
            start = greatest(start, sending_until_);
        const Time end = start + length;
        link_busy = end;
        occupy(sending_until_, end);
        return end;
    }

    /// Books the arrival of a packet that ended at `arrival` after `length` on the link. Returns
    /// when this node has it: later if the node was busy.
    Time receive(Time arrival, Time length) {
        if (model_ == PortModel::all)
            return arrival;
        const Time end = greatest(arrival, receiving_until_ + length);
        occupy(receiving_until_, end);
        return end;
    }

private:
    void occupy(Time& direction, Time end) {
        direction = end;
        if (model_ == PortModel::half)
            sending_until_ = receiving_until_ = end;
    }

    PortModel model_ = PortModel::all;
    std::uint32_t tau_ = wire::kTicksPerUnit;
    std::uint32_t tc_ = 0; // for a byte
    Time sending_until_ = 0;
    Time receiving_until_ = 0;
};

} // namespace mesh
