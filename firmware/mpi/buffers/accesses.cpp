// The functions that GCC calls at each load and store of a program which is compiled with
// -fsanitize=thread, as those of a strict run are. They are here in place of GCC's own library,
// which looks for races of threads: claims.hpp looks at each access. An image has none of them.
#include "mpi/buffers/claims.hpp"

#if MESH_NOTES

namespace mesh::mpi {

namespace {

/// The place in the program behind the function that this is a part of.
#define MESH_BEHIND __builtin_return_address(0)

template <class T>
T* looked_at(volatile T* data, Use use, const void* place) {
    auto* const bytes = const_cast<T*>(data);
    look_at(bytes, sizeof(T), use, place);
    return bytes;
}

} // namespace

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): names and types
/// A function of that name, which the compiler knows.
#define MESH_HOOK(result, own, name, ...)                                                          \
    result own(__VA_ARGS__) asm(name);                                                             \
    result own(__VA_ARGS__)

MESH_HOOK(void, mesh_hooks_begin, "__tsan_init", ) {}
MESH_HOOK(void, mesh_hooks_enter, "__tsan_func_entry", void*) {}
MESH_HOOK(void, mesh_hooks_leave, "__tsan_func_exit", ) {}

MESH_HOOK(void, mesh_load, "__tsan_read_range", void* data, unsigned long bytes) {
    look_at(data, bytes, Use::load, MESH_BEHIND);
}
MESH_HOOK(void, mesh_store, "__tsan_write_range", void* data, unsigned long bytes) {
    look_at(data, bytes, Use::store, MESH_BEHIND);
}
MESH_HOOK(void, mesh_load_table, "__tsan_vptr_read", void** data) {
    look_at(data, sizeof *data, Use::load, MESH_BEHIND);
}
MESH_HOOK(void, mesh_store_table, "__tsan_vptr_update", void** data, void*) {
    look_at(data, sizeof *data, Use::store, MESH_BEHIND);
}

#define MESH_ACCESS(bytes, kind, word, use)                                                        \
    MESH_HOOK(void, mesh_##kind##word##_##bytes, "__tsan_" #kind #word #bytes, void* data) {       \
        look_at(data, bytes, use, MESH_BEHIND);                                                    \
    }
#define MESH_ACCESSES(bytes)                                                                       \
    MESH_ACCESS(bytes, , read, Use::load)                                                          \
    MESH_ACCESS(bytes, , write, Use::store)                                                        \
    MESH_ACCESS(bytes, unaligned_, read, Use::load)                                                \
    MESH_ACCESS(bytes, unaligned_, write, Use::store)
MESH_ACCESSES(1)
MESH_ACCESSES(2)
MESH_ACCESSES(4)
MESH_ACCESSES(8)
MESH_ACCESSES(16)

// There is one thread, so the order that the program asks for makes no difference.
#define MESH_CHANGE(bits, T, change)                                                               \
    MESH_HOOK(T, mesh_##change##_##bits, "__tsan_atomic" #bits "_" #change, volatile T* data,      \
              T value, int) {                                                                      \
        return __atomic_##change(looked_at(data, Use::store, MESH_BEHIND), value,                  \
                                 __ATOMIC_SEQ_CST);                                                \
    }
#define MESH_SWAP(bits, T, word)                                                                   \
    MESH_HOOK(int, mesh_swap_##word##_##bits, "__tsan_atomic" #bits "_compare_exchange_" #word,    \
              volatile T* data, T* expected, T value, int, int) {                                  \
        return __atomic_compare_exchange_n(looked_at(data, Use::store, MESH_BEHIND), expected,     \
                                           value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }
#define MESH_ATOMIC(bits, T)                                                                       \
    MESH_HOOK(T, mesh_load_##bits, "__tsan_atomic" #bits "_load", const volatile T* data, int) {   \
        return __atomic_load_n(looked_at(const_cast<volatile T*>(data), Use::load, MESH_BEHIND),   \
                               __ATOMIC_SEQ_CST);                                                  \
    }                                                                                              \
    MESH_HOOK(void, mesh_store_##bits, "__tsan_atomic" #bits "_store", volatile T* data, T value,  \
              int) {                                                                               \
        __atomic_store_n(looked_at(data, Use::store, MESH_BEHIND), value, __ATOMIC_SEQ_CST);       \
    }                                                                                              \
    MESH_HOOK(T, mesh_exchange_##bits, "__tsan_atomic" #bits "_exchange", volatile T* data,        \
              T value, int) {                                                                      \
        return __atomic_exchange_n(looked_at(data, Use::store, MESH_BEHIND), value,                \
                                   __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    MESH_CHANGE(bits, T, fetch_add)                                                                \
    MESH_CHANGE(bits, T, fetch_sub)                                                                \
    MESH_CHANGE(bits, T, fetch_and)                                                                \
    MESH_CHANGE(bits, T, fetch_or)                                                                 \
    MESH_CHANGE(bits, T, fetch_xor)                                                                \
    MESH_CHANGE(bits, T, fetch_nand)                                                               \
    MESH_SWAP(bits, T, strong)                                                                     \
    MESH_SWAP(bits, T, weak)
MESH_ATOMIC(8, std::uint8_t)
MESH_ATOMIC(16, std::uint16_t)
MESH_ATOMIC(32, std::uint32_t)
MESH_ATOMIC(64, std::uint64_t)

MESH_HOOK(void, mesh_fence, "__tsan_atomic_thread_fence", int) {}
MESH_HOOK(void, mesh_signal_fence, "__tsan_atomic_signal_fence", int) {}
// NOLINTEND(bugprone-macro-parentheses)

} // extern "C"

} // namespace mesh::mpi

#endif
