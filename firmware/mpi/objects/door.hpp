// The tools of the doors of the calls (calls.py).
//
// A function behind a door gives the code that the call returns, or nothing: then the call returns
// that of its checks. Numbers of a call for large counts become those of the call that does the
// work: a node holds less than 2 GiB, so what does not fit is an error.
#pragma once

#include "mpi/objects/objects.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace mesh::mpi {

/// The code that a call returns after its work. `checks`: nullptr if it has none.
template <class Work>
[[gnu::always_inline]] inline int end_of(Work work, const Checks* checks = nullptr) {
    if constexpr (std::is_same_v<decltype(work()), int>)
        return work();
    work();
    return checks == nullptr ? MPI_SUCCESS : checks->code();
}

/// A number of a call for large counts, as the other call has it; one that does not fit is refused
/// with MPI_ERR_COUNT.
template <class Number>
Number narrowed(Checks& checks, std::int64_t value) {
    if (value > std::numeric_limits<Number>::max())
        checks.refuse(MPI_ERR_COUNT, "a number that is more than a node can hold");
    return static_cast<Number>(
        std::max<std::int64_t>(value, std::numeric_limits<Number>::lowest()));
}

/// A list of such numbers.
template <class Number>
class Narrowed {
public:
    /// `count` numbers of `list`, copied to the heap; no list if that is nullptr. Ends the run if
    /// the heap has no room.
    template <class Wide>
    Narrowed(Checks& checks, const Wide* list, std::int64_t count) {
        if (list == nullptr || checks.bad())
            return;
        const auto length = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
        room_ = Room(length * sizeof(Number) + 1);
        auto* next = reinterpret_cast<Number*>(room_.data());
        for (const Wide one : std::span(list, length))
            *next++ = narrowed<Number>(checks, one);
    }
    /// The list, for as long as this object is there; nullptr: there is none.
    const Number* data() const { return reinterpret_cast<const Number*>(room_.data()); }

private:
    Room room_;
};

} // namespace mesh::mpi
