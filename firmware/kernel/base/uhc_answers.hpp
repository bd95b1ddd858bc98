// The way of answers on the UHC, for the tables of that network: the library's, and that of an
// image which has the tree of a user's file (ops/own/image.cpp).
#pragma once

#include "core/uhc/uni_hypercube.hpp"
#include "kernel/base/rule_set.hpp"

namespace mesh {

/// NetworkRules::answer_way of the UHC: an answer's first and third link is its `answer`, the
/// second its `link`.
inline AnswerWay uhc_answer_way(Network network, NodeId self, Port port,
                                const wire::LinkHeader& header) {
    const wire::WayBack way = wire::WayBack::from_flags(header.flags);
    const bool odd = header.hops % 2 != 0;
    const Port next = odd ? way.link : way.answer;
    if (port != (odd ? way.answer : way.link) || header.hops == 0 ||
        header.hops > wire::WayBack::kLinks ||
        ((UniHypercube{network.dim}.out_ports(self) >> index(next)) & 1u) == 0)
        return {};
    return {next, header.hops == wire::WayBack::kLinks};
}

} // namespace mesh
