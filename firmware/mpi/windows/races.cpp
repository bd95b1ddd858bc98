// Accesses to windows as a strict run hears of them.
#include "mpi/buffers/claims.hpp"
#include "mpi/windows/windows.hpp"

#include "fiber/fiber.hpp"

#include <array>
#include <cstdio>

#if MESH_NOTES

namespace mesh::mpi {

namespace {

/// Notes what this rank itself does with its memory.
void note_own(const Window& window, const char* name, const void* place, bool changes,
              std::int64_t begin, std::int64_t end) {
    note_access({.window = window.number,
                 .target = fiber::node().id(),
                 .begin = begin,
                 .end = end,
                 .name = name,
                 .place = place,
                 .epoch = window.is_posted ? 0 : window.fences,
                 .changes = changes,
                 .is_own = true,
                 .is_atomic = false,
                 .operation = 0});
}

/// A load or a store of the program in its own window, which others may access at that time.
void hear(const void* owner, const std::byte* data, std::size_t bytes, Use use, const void* place) {
    const auto& window = *static_cast<const Window*>(owner);
    if (!window.is_fenced && !window.is_posted)
        return;
    const bool is_store = use == Use::store;
    const std::int64_t begin = data - window.base;
    note_own(window, is_store ? "a store" : "a load", place, is_store, begin,
             begin + static_cast<std::int64_t>(bytes));
}

} // namespace

void note_access(const detail::WindowAccess& access) {
    if (!is_strict())
        return;
    std::array<char, 300> other;
    detail::rank_notes()->accesses(index(fiber::node().id()), access, other);
    if (other[0] == '\0')
        return;
    std::array<char, 400> words;
    std::snprintf(words.data(), words.size(),
                  "%s meets %s in the memory of rank %d in a window: nothing orders them",
                  access.name, other.data(), static_cast<int>(index(access.target)));
    end_run_at(is_in_program(access.place) ? access.place : place_of_call(), words.data());
}

void claim_no_put(const Window& window) {
    note_own(window, "MPI_MODE_NOPUT", place_of_call(), false, 0, INT64_MAX);
}

void watch_window(const Window& window, std::size_t bytes) {
    watch(&window, window.base, bytes, hear);
}

void order_accesses(const Window& window, Rank target) {
    if (!is_strict())
        return;
    for (Rank rank = 0; rank < window.size(); ++rank)
        if (target == MPI_ANY_SOURCE || target == rank)
            detail::rank_notes()->orders_accesses(index(fiber::node().id()), window.number,
                                                  window.group->node(rank));
}

} // namespace mesh::mpi

#endif
