// What the doors of the calls need (calls.py).
//
// A function behind a door gives what the call returns, or nothing: then the call returns what its
// checks have found. Numbers of a call for large counts become those of the call that does the
// work: a node holds less than 2 GiB, so what does not fit is an error.
#pragma once

#include "mpi/objects/objects.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace mesh::mpi {

/// What a call returns whose work this is. `checks`: nullptr, it has none.
template <class Work>
[[gnu::always_inline]] inline int end_of(Work work, const Checks* checks = nullptr) {
    if constexpr (std::is_same_v<decltype(work()), int>)
        return work();
    work();
    return checks == nullptr ? MPI_SUCCESS : checks->code();
}

template <class Number>
Number narrowed(Checks& checks, std::int64_t value) {
    if (value > std::numeric_limits<Number>::max())
        checks.refuse(MPI_ERR_COUNT, "a number that is more than a node can hold");
    return static_cast<Number>(
        std::max<std::int64_t>(value, std::numeric_limits<Number>::lowest()));
}

/// The same of a list, which the object holds; a list that is none stays none.
template <class Number>
class Narrowed {
public:
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
    const Number* data() const { return reinterpret_cast<const Number*>(room_.data()); }

private:
    Room room_;
};

} // namespace mesh::mpi
