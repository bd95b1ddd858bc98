// The processes of a run whose order is one by turns (order.hpp): one of them goes on at a time.
//
// A process has its turn from the end of one wait to the beginning of the next. The next process
// goes on when everything that was sent has arrived, and before any timer of more than a moment
// runs out: so what one process sends reaches all others before or behind what another one sends,
// as the order says, and a time-out means that nothing can happen any more. Processes of libraries,
// which nobody joins, go on at once and belong to the turn that has woken them.
#pragma once

#include "order.hpp"

#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace mesh::host {

class Turns {
public:
    /// `order` outlives this. `wake` has the scheduler of a node ask its processes once more.
    Turns(Order& order, std::function<void(NodeId)> wake);

    /// The process can go on. True: it is to wait until go_on() has chosen it.
    bool holds(const Turn& turn);
    /// Lets the next process go on. False if none can.
    bool go_on();
    /// The node of the process that has gone on since the last call; kNoNode: none has.
    NodeId take_last() { return std::exchange(last_, kNoNode); }

private:
    Order& order_;
    std::function<void(NodeId)> wake_;
    std::set<Turn> ready_;
    std::optional<Turn> going_; // chosen, and not yet asked for
    NodeId last_ = kNoNode;
};

} // namespace mesh::host
