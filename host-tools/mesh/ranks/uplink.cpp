#include "uplink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <poll.h>

namespace mesh::host {

std::string Uplink::name(unsigned rank) const {
    return fmt::format("rank {} on host {}", rank, facts(rank).host);
}

unsigned Uplink::ranks_here() const {
    unsigned here = 0;
    for (unsigned other = 0; other < ranks(); ++other)
        here += facts(other).host == facts(rank()).host ? 1 : 0;
    return here;
}

unsigned Uplink::cores() const {
    unsigned cores = 0;
    for (unsigned one = 0; one < ranks(); ++one) {
        bool counted = false;
        for (unsigned before = 0; before < one; ++before)
            counted = counted || facts(before).host == facts(one).host;
        cores += counted ? 0 : facts(one).cores;
    }
    return std::max(1u, cores);
}

std::optional<Told> wait_for(Uplink& uplink, std::chrono::milliseconds timeout) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        unsigned from = 0;
        if (const auto message = uplink.next(from))
            return Told{from, *message};
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return std::nullopt;
        pollfd wanted{uplink.descriptor(), POLLIN, 0};
        static_cast<void>(poll(&wanted, 1, static_cast<int>(left.count())));
    }
}

} // namespace mesh::host
