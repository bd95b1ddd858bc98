#include "mpi/objects/handles.hpp"

#include "hal/heap.hpp"
#include "mpi/objects/objects.hpp"

#include <algorithm>
#include <cstdio>

namespace mesh::mpi {

namespace {

/// The bits of a handle: one that says that it is of the table, how often its place was used
/// before, the place.
constexpr std::uint32_t kListed = 1u << 31;
constexpr std::uint32_t kPlaceBits = 17;
constexpr std::uint32_t kOnceMore = 1u << kPlaceBits;
constexpr std::uint32_t kPlacesMax = kOnceMore;
constexpr std::uint32_t kFirstPlaces = 32;

struct Place {
    Object* object = nullptr;
    std::uint32_t handle;    // of the object, or of the next one that is here
    std::uint32_t next_free; // behind the last: as many as there are places
};

Place* places = nullptr;
std::uint32_t place_count = 0;
std::uint32_t first_free = 0;

std::uint32_t place_in(std::uintptr_t number) {
    return static_cast<std::uint32_t>(number) % kOnceMore;
}

/// The table has given the program this number, now or before.
bool was_given(std::uintptr_t number) {
    return number <= UINT32_MAX && (number & kListed) != 0 && place_in(number) < place_count;
}

void make_places() {
    const std::uint32_t more = std::max(2 * place_count, kFirstPlaces);
    auto* const all = more > kPlacesMax
                          ? nullptr
                          : static_cast<Place*>(mesh_realloc(places, more * sizeof(Place)));
    if (all == nullptr)
        end_run("no memory for a handle", MPI_ERR_NO_MEM);
    for (std::uint32_t at = place_count; at < more; ++at)
        all[at] = {nullptr, kListed | at, at + 1};
    places = all;
    place_count = more;
}

} // namespace

Object* find_object(std::uintptr_t number, const ObjectKind& kind) {
    if (!was_given(number))
        return nullptr;
    const Place& place = places[place_in(number)];
    const bool is_it = place.handle == number && place.object != nullptr;
    return is_it && place.object->object_kind == &kind ? place.object : nullptr;
}

Object* const* object_at(std::uint32_t place) {
    return place < place_count ? &places[place].object : nullptr;
}

void enlist(Object& object) {
    if (first_free == place_count)
        make_places();
    Place& place = places[first_free];
    first_free = place.next_free;
    place.object = &object;
    object.handle = place.handle;
#if MESH_NOTES
    object.made_at = place_of_call();
#endif
}

void unlist(Object& object) {
    if (object.handle < kListed)
        return;
    const std::uint32_t at = place_in(object.handle);
    places[at] = {nullptr, (object.handle + kOnceMore) | kListed, first_free};
    first_free = at;
}

// The null handle of each kind is a multiple of 8, no other constant is.
void say_why_none(std::uintptr_t number, const ObjectKind& kind, char* words) {
    const char* why = "nobody has made it";
    if (number < kHandlesFixed) {
        why = number % 8 == 0 ? "it is null" : "it is a constant of another kind";
    } else if (was_given(number)) {
        const Place& place = places[place_in(number)];
        const bool is_there = place.handle == number && place.object != nullptr;
        const ObjectKind* const its = is_there ? place.object->object_kind : &kind;
        why = its == &kind ? "it was freed or has ended" : its->name;
    }
    std::snprintf(words, kWhyNone, "not %s: %s", kind.name, why);
}

} // namespace mesh::mpi
