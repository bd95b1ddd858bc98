#include "mpi/buffers/claims.hpp"

#include "mpi/objects/queue.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#if MESH_NOTES

namespace mesh::mpi {

namespace {

struct Claim {
    Claim* next;
    const void* owner;
    std::uintptr_t begin;
    std::uintptr_t end;
    Leave leave;
    Hear hear;         // nullptr: nobody hears of the program's uses
    const char* call;  // that has the memory
    const void* place; // of the call in the program

    bool allows(Use use) const {
        if (hear != nullptr)
            return use != Use::free;
        return use == Use::load && leave == Leave::loads;
    }
};
Queue<Claim> claims;
// No claim lies outside of these. They shrink when there is none.
std::uintptr_t lowest = UINTPTR_MAX;
std::uintptr_t highest = 0;

const char* words_of(Use use) {
    constexpr std::array<const char*, 3> kWords{"a load from", "a store to", "free() of"};
    return kWords[static_cast<std::size_t>(use)];
}

void add(const void* owner, const void* data, std::size_t bytes, Leave leave, Hear hear) {
    if (!is_strict() || data == nullptr || bytes == 0)
        return;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    auto* const one = make<Claim>(nullptr, owner, begin, begin + bytes, leave, hear, name_of_call(),
                                  place_of_call());
    if (one == nullptr)
        return; // the heap is full, which its next call tells
    claims.push(*one);
    lowest = std::min(lowest, one->begin);
    highest = std::max(highest, one->end);
}

} // namespace

void claim(const void* owner, const void* data, std::size_t bytes, Leave leave) {
    add(owner, data, bytes, leave, nullptr);
}

void watch(const void* owner, const void* data, std::size_t bytes, Hear hear) {
    add(owner, data, bytes, Leave::loads, hear);
}

void claim(const void* owner, const void* data, int count, const Type& type, Leave leave) {
    if (type.is_dense())
        return claim(owner, data, static_cast<std::size_t>(count) * type.size, leave);
    for (int element = 0; element < count; ++element)
        for (const Run& run : type.all_runs())
            claim(owner, at(static_cast<const std::byte*>(data), element, type) + run.offset,
                  run.bytes, leave);
}

void end_claims(const void* owner) {
    while (Claim* const one =
               claims.take_first([owner](const Claim& other) { return other.owner == owner; }))
        destroy(one);
    if (*claims.begin() == nullptr) {
        lowest = UINTPTR_MAX;
        highest = 0;
    }
}

void look_at(const void* data, std::size_t bytes, Use use, const void* place) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t end = begin + bytes;
    if (end <= lowest || begin >= highest)
        return;
    const Claim* const one = *claims.find([=](const Claim& other) {
        if (begin >= other.end || other.begin >= end)
            return false;
        if (other.hear != nullptr && use != Use::free)
            other.hear(other.owner, static_cast<const std::byte*>(data), bytes, use, place);
        return !other.allows(use);
    });
    if (one == nullptr)
        return;
    std::array<char, 400> words;
    std::snprintf(words.data(), words.size(), "%s memory that %s has until its end (begun %s)",
                  words_of(use), one->call, where(one->place));
    end_run_at(is_in_program(place) ? place : place_of_call(), words.data());
}

} // namespace mesh::mpi

void mesh::note_freed(const void* data, std::size_t bytes, const void* place) {
    mpi::look_at(data, bytes, mpi::Use::free, place);
}

#endif
