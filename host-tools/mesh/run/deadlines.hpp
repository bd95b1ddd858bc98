// All deadlines of a run in one table, and the clock that they are measured by.
//
//   silent   a node that owes something and has given no sign of life     --timeout, for each node
//   stuck    nodes that talk, and yet none of them comes any further      three of these
//   over     the whole run                                                --limit, if it is given
//
// The clock does not count the time in which this process itself was stopped. A node that a
// debugger holds is never late. In the simulation real time means nothing: there a node is late
// when nothing moves any more.
#pragma once

#include <chrono>

namespace mesh::host {

class Deadlines {
public:
    using Seconds = std::chrono::duration<double>;
    struct Rules {
        Seconds timeout;
        Seconds limit;  // 0: none
        bool real_time; // false: simulation
        bool held;      // by a debugger
    };

    explicit Deadlines(const Rules& rules);

    /// To be called often; `moved` says whether anything has happened since the last call.
    void tick(bool moved);
    /// Time since the beginning, as of the last tick.
    Seconds now() const { return now_; }

    bool silent(Seconds since) const { return late(since, rules_.timeout); }
    bool stuck(Seconds since) const { return late(since, kStuckTimeouts * rules_.timeout); }
    /// The same for a run that moves all the time, also in a simulation.
    bool endless(Seconds since) const {
        return !rules_.held && now_ - since > kStuckTimeouts * rules_.timeout;
    }
    bool over() const { return rules_.limit > Seconds(0) && now_ > rules_.limit; }
    /// True when it is time again to look for silent nodes.
    bool look_due();

    const Rules& rules() const { return rules_; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double kStuckTimeouts = 3;

    bool late(Seconds since, Seconds after) const;

    Rules rules_;
    Clock::time_point last_tick_;
    Seconds now_{0};
    Seconds last_look_{0};
    bool moved_ = true;
};

} // namespace mesh::host
