// Begin and end of windows, and their attributes, names and error handlers.
#include "mpi/windows/windows.hpp"

#include "mpi/buffers/claims.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/communicators/communicators.hpp"
#include "mpi/datatypes/attributes.hpp"
#include "mpi/objects/errors.hpp"

#include <memory>

namespace mesh::mpi {

namespace {

/// Room for one T of each rank, on the heap.
template <class T>
T* of_all(Rank size) {
    Room room(static_cast<std::size_t>(size) * sizeof(T));
    auto* const all = reinterpret_cast<T*>(room.release());
    std::uninitialized_value_construct_n(all, size);
    return all;
}

int begin_window(Checks& checks, int flavor, void* memory, MPI_Aint bytes, int unit,
                 MPI_Win* handle) {
    if (bytes < 0)
        return checks.refuse(MPI_ERR_SIZE, "a window has no less than 0 bytes");
    if (unit <= 0)
        return checks.refuse(MPI_ERR_DISP, "a unit of displacements has at least one byte");
    Comm& comm = checks.comm();
    if (!start_server())
        return checks.refuse(MPI_ERR_NO_MEM, "no room for the process that serves windows");
    auto* const window = make<Window>();
    if (window == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    set_up(*window, comm.group, comm.group, agree_on_number(comm));
    window->base = static_cast<std::byte*>(memory);
    window->unit = unit;
    window->flavor = flavor;
    window->shapes = of_all<Shape>(comm.size());
    window->targets = of_all<Target>(comm.size());
    windows.push(*window);
    watch_window(*window, static_cast<std::size_t>(bytes));
    const Shape mine{bytes, unit};
    *handle = give_handle(*window);
    return all_gather_bytes(*window, std::as_bytes(std::span{&mine, 1}), window->shapes,
                            checks.call());
}

/// The window has memory of its own; `memory`: the address of a pointer to it.
int allocate_window(Checks& checks, int flavor, MPI_Aint bytes, int unit, void* memory,
                    MPI_Win* handle) {
    void* const place = bytes < 0 ? nullptr : mesh_malloc(static_cast<std::size_t>(bytes));
    if (place == nullptr && bytes > 0)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    const int code = begin_window(checks, flavor, place, bytes, unit, handle);
    if (code != MPI_SUCCESS)
        mesh_free(place);
    else
        *static_cast<void**>(memory) = place;
    return code;
}

constexpr const char* kOnlyDynamic = "only for a window of MPI_Win_create_dynamic()";

void end_window(Window& window) {
    end_claims(&window);
    windows.take_first([&window](const Window& one) { return &one == &window; });
    if (window.flavor == MPI_WIN_FLAVOR_ALLOCATE || window.flavor == MPI_WIN_FLAVOR_SHARED)
        mesh_free(window.base);
    while (Attached* const one = window.attached.take_first([](const Attached&) { return true; }))
        destroy(one);
    mesh_free(window.shapes);
    mesh_free(window.targets);
    release(window.errhandler);
    release(window.peers);
    release(window.group);
    destroy(&window);
}

/// The value of a window under a key of the standard; nullptr: there is no such key.
void* standard_value(Window& window, int key) {
    switch (key) {
    case MPI_WIN_BASE: return window.base;
    case MPI_WIN_DISP_UNIT: return &window.unit;
    case MPI_WIN_SIZE: return &window.shapes[static_cast<std::size_t>(window.rank())].bytes;
    case MPI_WIN_CREATE_FLAVOR: return &window.flavor;
    case MPI_WIN_MODEL: return &window.model;
    default: return nullptr;
    }
}

int alloc_mem(Checks& checks, MPI_Aint bytes, void* memory) {
    void* const place = mesh_malloc(static_cast<std::size_t>(bytes));
    if (place == nullptr && bytes != 0)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    *static_cast<void**>(memory) = place;
    return MPI_SUCCESS;
}

void free_mem(void* memory) { mesh_free(memory); }

// A rank shares memory with itself alone, as in MPI_Comm_split_type().
int win_allocate_shared(Checks& checks, MPI_Aint bytes, int unit, void* memory, MPI_Win* win) {
    if (checks.comm().size() != 1)
        return checks.refuse(MPI_ERR_RMA_SHARED,
                             "nodes have no memory in common: MPI_Comm_split_type()");
    return allocate_window(checks, MPI_WIN_FLAVOR_SHARED, bytes, unit, memory, win);
}

void win_shared_query(WindowChecks& checks, Rank, MPI_Aint* bytes, int* unit, void* memory) {
    checks.require(checks.window().flavor == MPI_WIN_FLAVOR_SHARED, MPI_ERR_RMA_FLAVOR,
                   "only for a window of MPI_Win_allocate_shared()");
    if (checks.bad())
        return;
    const Window& window = checks.window();
    *bytes = window.shapes[0].bytes;
    *unit = window.unit;
    *static_cast<void**>(memory) = window.base;
}

// Displacements are addresses, so the window begins at address 0.
int win_create_dynamic(Checks& checks, MPI_Win* win) {
    return begin_window(checks, MPI_WIN_FLAVOR_DYNAMIC, nullptr, 0, 1, win);
}

int win_attach(WindowChecks& checks, void* memory, MPI_Aint bytes) {
    checks
        .require(checks.window().flavor == MPI_WIN_FLAVOR_DYNAMIC, MPI_ERR_RMA_FLAVOR, kOnlyDynamic)
        .require(bytes >= 0, MPI_ERR_SIZE, "no less than 0 bytes can be attached");
    if (checks.bad())
        return checks.code();
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    auto* const one = make<Attached>(nullptr, begin, begin + static_cast<std::uintptr_t>(bytes));
    if (one == nullptr)
        return checks.refuse(MPI_ERR_RMA_ATTACH, "no memory to note what is attached");
    checks.window().attached.push(*one);
    return MPI_SUCCESS;
}

int win_detach(WindowChecks& checks, const void* memory) {
    checks.require(checks.window().flavor == MPI_WIN_FLAVOR_DYNAMIC, MPI_ERR_RMA_FLAVOR,
                   kOnlyDynamic);
    if (checks.bad())
        return checks.code();
    Attached* const one = checks.window().attached.take_first([memory](const Attached& other) {
        return other.begin == reinterpret_cast<std::uintptr_t>(memory);
    });
    if (one == nullptr)
        return checks.refuse(MPI_ERR_BASE, "nothing is attached there");
    destroy(one);
    return MPI_SUCCESS;
}

int win_free(WindowChecks& checks, MPI_Win* handle) {
    Window& window = checks.window();
    const bool is_open = window.started != nullptr || window.is_posted || window.has_lock() ||
                         (is_strict() && window.is_fenced && window.is_used);
    if (is_open)
        return checks.refuse(MPI_ERR_RMA_SYNC, "an epoch has not ended");
    flush(window, MPI_ANY_SOURCE);
    if (const int code = drop_attributes(&window.attributes, *handle); code != MPI_SUCCESS)
        return checks.refuse(code, kAttributeStays);
    int code = meet_all(window, checks.call());
    if (code == MPI_SUCCESS)
        code = checks.end();
    end_window(window);
    *handle = MPI_WIN_NULL;
    return code;
}

void win_get_group(WindowChecks& checks, MPI_Group* group) {
    *group = give_handle(*hold(checks.window().group));
}

// A window is a communicator, too: names and error handlers are those of one.

int win_get_attr(WindowChecks& checks, int key, void* value, int* flag) {
    if (key < MPI_WIN_BASE || key > MPI_WIN_MODEL)
        return get_attribute(checks, checks.comm(), key, value, flag);
    *flag = 1;
    *static_cast<void**>(value) = standard_value(checks.window(), key);
    return MPI_SUCCESS;
}

void win_set_info(const WindowChecks&) {}

int win_get_info(const WindowChecks&, MPI_Info* info) { return PMPI_Info_create(info); }

} // namespace

} // namespace mesh::mpi

#include "doors/windows.inc"
