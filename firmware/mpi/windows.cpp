// How windows begin and end, and what a program hangs on them.
#include "mpi/windows.hpp"

#include "mpi/attributes.hpp"
#include "mpi/communicators.hpp"
#include "mpi/errors.hpp"
#include "mpi/parts.hpp"

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

int begin_window(Checks& checks, void* memory, MPI_Aint bytes, int unit, int flavor,
                 MPI_Win* handle) {
    if (checks.one_group().result(handle).bad())
        return checks.code();
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
    window->next = windows;
    windows = window;
    const Shape mine{bytes, unit};
    *handle = give_handle(*window);
    return all_gather_bytes(*window, std::as_bytes(std::span{&mine, 1}), window->shapes,
                            checks.call());
}

/// The window has memory of its own; `memory`: the address of a pointer to it.
int allocate_window(Checks& checks, MPI_Aint bytes, int unit, int flavor, void* memory,
                    MPI_Win* handle) {
    if (checks.bad())
        return checks.code();
    void* const place = bytes < 0 ? nullptr : mesh_malloc(static_cast<std::size_t>(bytes));
    if (place == nullptr && bytes > 0)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    const int code = begin_window(checks, place, bytes, unit, flavor, handle);
    if (code != MPI_SUCCESS)
        mesh_free(place);
    else
        *static_cast<void**>(memory) = place;
    return code;
}

constexpr const char* kOnlyDynamic = "only for a window of MPI_Win_create_dynamic()";

void drop_attached(Attached** link) {
    Attached* const one = *link;
    *link = one->next;
    destroy(one);
}

void end_window(Window& window) {
    Window** link = &windows;
    while (*link != &window)
        link = &(*link)->next;
    *link = window.next;
    if (window.flavor == MPI_WIN_FLAVOR_ALLOCATE || window.flavor == MPI_WIN_FLAVOR_SHARED)
        mesh_free(window.base);
    while (window.attached != nullptr)
        drop_attached(&window.attached);
    mesh_free(window.shapes);
    mesh_free(window.targets);
    release(window.errhandler);
    release(window.peers);
    release(window.group);
    destroy(&window);
}

/// What a program asks of a window under a key of the standard; nullptr: there is no such key.
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

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info, void* memory) {
    void* const place = mesh_malloc(static_cast<std::size_t>(bytes));
    if (place == nullptr && bytes != 0)
        return Checks("MPI_Alloc_mem").refuse(MPI_ERR_NO_MEM, nullptr);
    *static_cast<void**>(memory) = place;
    return MPI_SUCCESS;
}

int MPI_Free_mem(void* memory) {
    mesh_free(memory);
    return MPI_SUCCESS;
}

int MPI_Win_create(void* memory, MPI_Aint bytes, int unit, MPI_Info, MPI_Comm comm, MPI_Win* win) {
    Checks checks("MPI_Win_create", comm);
    return begin_window(checks, memory, bytes, unit, MPI_WIN_FLAVOR_CREATE, win);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info, MPI_Comm comm, void* memory,
                     MPI_Win* win) {
    Checks checks("MPI_Win_allocate", comm);
    return allocate_window(checks, bytes, unit, MPI_WIN_FLAVOR_ALLOCATE, memory, win);
}

// A rank shares memory with itself alone, as MPI_Comm_split_type() says.
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info, MPI_Comm comm, void* memory,
                            MPI_Win* win) {
    Checks checks("MPI_Win_allocate_shared", comm);
    if (!checks.bad() && checks.comm().size() != 1)
        return checks.refuse(MPI_ERR_RMA_SHARED,
                             "nodes have no memory in common: MPI_Comm_split_type()");
    return allocate_window(checks, bytes, unit, MPI_WIN_FLAVOR_SHARED, memory, win);
}

int MPI_Win_shared_query(MPI_Win handle, int rank, MPI_Aint* bytes, int* unit, void* memory) {
    WindowChecks checks("MPI_Win_shared_query", handle);
    checks.target(rank).require(checks.bad() || checks.window().flavor == MPI_WIN_FLAVOR_SHARED,
                                MPI_ERR_RMA_FLAVOR,
                                "only for a window of MPI_Win_allocate_shared()");
    if (checks.bad())
        return checks.code();
    const Window& window = checks.window();
    *bytes = window.shapes[0].bytes;
    *unit = window.unit;
    *static_cast<void**>(memory) = window.base;
    return MPI_SUCCESS;
}

// Displacements are addresses, so the window begins at the first of all.
int MPI_Win_create_dynamic(MPI_Info, MPI_Comm comm, MPI_Win* win) {
    Checks checks("MPI_Win_create_dynamic", comm);
    return begin_window(checks, nullptr, 0, 1, MPI_WIN_FLAVOR_DYNAMIC, win);
}

int MPI_Win_attach(MPI_Win handle, void* memory, MPI_Aint bytes) {
    WindowChecks checks("MPI_Win_attach", handle);
    checks
        .require(checks.bad() || checks.window().flavor == MPI_WIN_FLAVOR_DYNAMIC,
                 MPI_ERR_RMA_FLAVOR, kOnlyDynamic)
        .require(bytes >= 0, MPI_ERR_SIZE, "no less than 0 bytes can be attached");
    if (checks.bad())
        return checks.code();
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    Attached*& first = checks.window().attached;
    auto* const one = make<Attached>(first, begin, begin + static_cast<std::uintptr_t>(bytes));
    if (one == nullptr)
        return checks.refuse(MPI_ERR_RMA_ATTACH, "no memory to note what is attached");
    first = one;
    return MPI_SUCCESS;
}

int MPI_Win_detach(MPI_Win handle, const void* memory) {
    WindowChecks checks("MPI_Win_detach", handle);
    checks.require(checks.bad() || checks.window().flavor == MPI_WIN_FLAVOR_DYNAMIC,
                   MPI_ERR_RMA_FLAVOR, kOnlyDynamic);
    if (checks.bad())
        return checks.code();
    Attached** link = &checks.window().attached;
    while (*link != nullptr && (*link)->begin != reinterpret_cast<std::uintptr_t>(memory))
        link = &(*link)->next;
    if (*link == nullptr)
        return checks.refuse(MPI_ERR_BASE, "nothing is attached there");
    drop_attached(link);
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win* handle) {
    WindowChecks checks("MPI_Win_free", *handle);
    if (checks.bad())
        return checks.code();
    Window& window = checks.window();
    const bool is_open = window.started != nullptr || window.is_posted || window.has_lock();
    if (is_open)
        return checks.refuse(MPI_ERR_RMA_SYNC, "an epoch has not ended");
    flush(window, MPI_ANY_SOURCE);
    if (const int code = drop_attributes(&window.attributes, *handle); code != MPI_SUCCESS)
        return checks.refuse(code, kAttributeStays);
    int code = meet_all(window, "MPI_Win_free");
    if (code == MPI_SUCCESS)
        code = checks.end();
    end_window(window);
    *handle = MPI_WIN_NULL;
    return code;
}

int MPI_Win_get_group(MPI_Win handle, MPI_Group* group) {
    const WindowChecks checks("MPI_Win_get_group", handle);
    if (!checks.bad())
        *group = give_handle(*hold(checks.window().group));
    return checks.code();
}

// A window is a communicator, too: names and error handlers are those of one.

int MPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* drop,
                          int* key, void* extra) {
    return create_key("MPI_Win_create_keyval", kWindow, copy, drop, key, extra);
}

int MPI_Win_free_keyval(int* key) { return free_key("MPI_Win_free_keyval", kWindow, key); }

int MPI_Win_set_attr(MPI_Win handle, int key, void* value) {
    WindowChecks checks("MPI_Win_set_attr", handle);
    return set_attribute(checks, checks.window(), key, value);
}

int MPI_Win_get_attr(MPI_Win handle, int key, void* value, int* flag) {
    WindowChecks checks("MPI_Win_get_attr", handle);
    if (checks.bad() || key < MPI_WIN_BASE || key > MPI_WIN_MODEL)
        return get_attribute(checks, checks.window(), key, value, flag);
    *flag = 1;
    *static_cast<void**>(value) = standard_value(checks.window(), key);
    return MPI_SUCCESS;
}

int MPI_Win_delete_attr(MPI_Win handle, int key) {
    WindowChecks checks("MPI_Win_delete_attr", handle);
    return delete_attribute(checks, checks.window(), key);
}

int MPI_Win_set_name(MPI_Win handle, const char* name) {
    return set_name(WindowChecks("MPI_Win_set_name", handle), name);
}

int MPI_Win_get_name(MPI_Win handle, char* name, int* length) {
    return get_name(WindowChecks("MPI_Win_get_name", handle), name, length);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* handler) {
    return create_errhandler("MPI_Win_create_errhandler",
                             reinterpret_cast<MPI_Comm_errhandler_function*>(function), handler);
}

int MPI_Win_set_errhandler(MPI_Win handle, MPI_Errhandler handler) {
    return set_errhandler(WindowChecks("MPI_Win_set_errhandler", handle), handler);
}

int MPI_Win_get_errhandler(MPI_Win handle, MPI_Errhandler* handler) {
    return get_errhandler(WindowChecks("MPI_Win_get_errhandler", handle), handler);
}

int MPI_Win_call_errhandler(MPI_Win handle, int code) {
    return call_errhandler(WindowChecks("MPI_Win_call_errhandler", handle), code);
}

int MPI_Win_set_info(MPI_Win handle, MPI_Info) {
    return WindowChecks("MPI_Win_set_info", handle).code();
}

int MPI_Win_get_info(MPI_Win handle, MPI_Info* info) {
    const WindowChecks checks("MPI_Win_get_info", handle);
    return checks.bad() ? checks.code() : MPI_Info_create(info);
}
}
