// The parameters of each family of ops, beyond the job that all ops share. Host tool and program
// have these structs in common; wire::Job carries their bytes and does not know them.
#pragma once

#include "core/base/operators.hpp"
#include "core/base/rules.hpp"
#include "core/schedules/schedule.hpp"
#include "wire/bytes.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <type_traits>

namespace mesh {

/// bcast.
struct BroadcastParameters {
    std::uint8_t copies = 1; // over as many disjoint trees
};

/// As the target of send: all nodes send, to nodes that the seed draws.
inline constexpr std::uint32_t kRandomTarget = 0xFFFF'FFFF;

/// send.
struct SendParameters {
    std::uint32_t target = 0;   // receiver, or kRandomTarget
    std::uint32_t messages = 1; // that this node sends
    std::uint32_t expected = 0; // that this node will get
    Rule route = Rule::unicast;
};

/// scatter, gather, allgather, alltoall.
struct PersonalParameters {
    Schedule schedule = Schedule::postorder;
    std::uint8_t copies = 1; // over as many disjoint trees; of the UHC and the star
};

/// reduce, allreduce, scan.
struct ReductionParameters {
    ElementType element = ElementType::i32;
    Operator reduction = Operator::sum;
    std::uint8_t exclusive = 0; // scan: without the node's own elements
};

/// The parameters of the job's op. Both sides name the same family for an op.
template <class Family>
Family parameters(const wire::Job& job) {
    static_assert(sizeof(Family) <= wire::kJobParameterBytes);
    return wire::load<Family>(job.parameters, 0);
}

template <class Family>
void set_parameters(wire::Job& job, const Family& family) {
    static_assert(sizeof(Family) <= wire::kJobParameterBytes);
    wire::store(job.parameters, 0, family);
}

} // namespace mesh
