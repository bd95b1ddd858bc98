#include "mpi/attributes.hpp"

#include "mpi/types.hpp"

namespace mesh::mpi {

namespace {

// The handle of a communicator, of a type or of a window.
using Copy = int(void* old, int key, void* extra, void* value, void* copied, int* flag);
using Drop = int(void* object, int key, void* value, void* extra);

/// A constant of the ABI: the value is copied as it is.
const auto kCopiesValue = reinterpret_cast<Copy*>(1);
constexpr int kLastStandardKey = MPI_WIN_MODEL;
static_assert(kLastStandardKey > MPI_LASTUSEDCODE);

struct Key {
    Key* next;
    int number;
    Copy* copy;
    Drop* drop;
    void* extra;
    unsigned owners = 1; // the program until it frees it, and each attribute
};

Key* keys = nullptr;
int last_number = kLastStandardKey;

Key** find_key(int number) {
    Key** link = &keys;
    while (*link != nullptr && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

void release_key(Key* key) {
    if (--key->owners != 0)
        return;
    Key** const link = find_key(key->number);
    *link = key->next;
    destroy(key);
}

int no_memory(const char* call) { return fail(nullptr, MPI_ERR_NO_MEM, call, nullptr); }
int no_key(const char* call) { return fail(nullptr, MPI_ERR_KEYVAL, call, nullptr); }

} // namespace

struct Attribute {
    Attribute* next;
    Key* key;
    void* value;
};

namespace {

Attribute** find_attribute(Attributes& attributes, int number) {
    Attribute** link = &attributes.first;
    while (*link != nullptr && (*link)->key->number != number)
        link = &(*link)->next;
    return link;
}

/// The value goes, by another one in its place, too.
int tell_dropped(const Attribute& attribute, void* handle) {
    const Key& key = *attribute.key;
    return key.drop == nullptr ? MPI_SUCCESS
                               : key.drop(handle, key.number, attribute.value, key.extra);
}

int drop_one(Attribute** link, void* handle) {
    Attribute* const attribute = *link;
    const int code = tell_dropped(*attribute, handle);
    if (code != MPI_SUCCESS)
        return code;
    *link = attribute->next;
    release_key(attribute->key);
    destroy(attribute);
    return MPI_SUCCESS;
}

int drop_all(Attributes** attributes, void* handle) {
    while ((*attributes)->first != nullptr)
        if (const int code = drop_one(&(*attributes)->first, handle); code != MPI_SUCCESS)
            return code;
    destroy(*attributes);
    *attributes = nullptr;
    return MPI_SUCCESS;
}

int copy_all(const Attributes& from, void* handle, Attributes** to);

/// Puts it before the others, or, `last`, behind them. False: no memory.
bool add(Attributes** attributes, Key* key, void* value, bool last = false) {
    if (*attributes == nullptr)
        *attributes = make<Attributes>(nullptr, copy_all, drop_all);
    if (*attributes == nullptr)
        return false;
    Attribute** link = &(*attributes)->first;
    while (last && *link != nullptr)
        link = &(*link)->next;
    auto* const attribute = make<Attribute>(*link, key, value);
    if (attribute == nullptr)
        return false;
    ++key->owners;
    *link = attribute;
    return true;
}

int copy_all(const Attributes& from, void* handle, Attributes** to) {
    for (const Attribute* one = from.first; one != nullptr; one = one->next) {
        const Key& key = *one->key;
        void* value = one->value;
        int is_copied = key.copy == kCopiesValue ? 1 : 0;
        if (key.copy != nullptr && key.copy != kCopiesValue) {
            const int code =
                key.copy(handle, key.number, key.extra, one->value, &value, &is_copied);
            if (code != MPI_SUCCESS)
                return code;
        }
        if (is_copied != 0 && !add(to, one->key, value, true))
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

template <class CopyFunction, class DropFunction>
int make_key(const char* call, CopyFunction* copy, DropFunction* drop, int* number, void* extra) {
    auto* const key = make<Key>(keys, last_number + 1, reinterpret_cast<Copy*>(copy),
                                reinterpret_cast<Drop*>(drop), extra);
    if (key == nullptr)
        return no_memory(call);
    keys = key;
    *number = ++last_number;
    return MPI_SUCCESS;
}

int free_key(const char* call, int* number) {
    Key* const key = *find_key(*number);
    if (key == nullptr)
        return no_key(call);
    release_key(key);
    *number = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int set(const char* call, Attributes** attributes, void* handle, int number, void* value) {
    Key* const key = *find_key(number);
    if (key == nullptr)
        return no_key(call);
    Attribute* const found =
        *attributes == nullptr ? nullptr : *find_attribute(**attributes, number);
    if (found == nullptr)
        return add(attributes, key, value) ? MPI_SUCCESS : no_memory(call);
    const int code = tell_dropped(*found, handle);
    if (code != MPI_SUCCESS)
        return fail(nullptr, code, call, "the function that is told of the old value refuses");
    found->value = value;
    return MPI_SUCCESS;
}

void get(Attributes* attributes, int number, void* value, int* flag) {
    const Attribute* const found =
        attributes == nullptr ? nullptr : *find_attribute(*attributes, number);
    *flag = found != nullptr;
    if (found != nullptr)
        *static_cast<void**>(value) = found->value;
}

int drop(const char* call, Attributes* attributes, void* handle, int number) {
    Attribute** const link = attributes == nullptr ? nullptr : find_attribute(*attributes, number);
    if (link == nullptr || *link == nullptr)
        return no_key(call);
    const int code = drop_one(link, handle);
    return code == MPI_SUCCESS
               ? code
               : fail(nullptr, code, call, "the function that is told of its end refuses");
}

/// A value of the standard; nullptr: there is none under this key.
int* standard_value(int key) {
    static int tags = kTagMax;
    static int yes = 1;
    static int host = MPI_PROC_NULL;
    static int io = MPI_ANY_SOURCE;
    static int nodes = 0;
    static int first_program = 0;
    nodes = comm_of(MPI_COMM_WORLD)->size();
    switch (key) {
    case MPI_TAG_UB: return &tags;
    case MPI_WTIME_IS_GLOBAL: return &yes;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_UNIVERSE_SIZE: return &nodes;
    case MPI_APPNUM: return &first_program;
    case MPI_LASTUSEDCODE: return &last_error_code;
    default: return nullptr;
    }
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* drop,
                           int* key, void* extra) {
    return make_key("MPI_Comm_create_keyval", copy, drop, key, extra);
}

int MPI_Comm_free_keyval(int* key) { return free_key("MPI_Comm_free_keyval", key); }

int MPI_Comm_set_attr(MPI_Comm handle, int key, void* value) {
    const Checks checks("MPI_Comm_set_attr", handle);
    return checks.bad() ? checks.code()
                        : set("MPI_Comm_set_attr", &checks.comm().attributes, handle, key, value);
}

int MPI_Comm_get_attr(MPI_Comm handle, int key, void* value, int* flag) {
    const Checks checks("MPI_Comm_get_attr", handle);
    if (checks.bad())
        return checks.code();
    int* const standard = standard_value(key);
    if (standard == nullptr) {
        get(checks.comm().attributes, key, value, flag);
        return MPI_SUCCESS;
    }
    *flag = 1;
    *static_cast<int**>(value) = standard;
    return MPI_SUCCESS;
}

int MPI_Comm_delete_attr(MPI_Comm handle, int key) {
    const Checks checks("MPI_Comm_delete_attr", handle);
    return checks.bad() ? checks.code()
                        : drop("MPI_Comm_delete_attr", checks.comm().attributes, handle, key);
}

int MPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* drop,
                           int* key, void* extra) {
    return make_key("MPI_Type_create_keyval", copy, drop, key, extra);
}

int MPI_Type_free_keyval(int* key) { return free_key("MPI_Type_free_keyval", key); }

int MPI_Type_set_attr(MPI_Datatype handle, int key, void* value) {
    Type* const type = type_of(handle);
    if (type == nullptr)
        return fail(nullptr, MPI_ERR_TYPE, "MPI_Type_set_attr", nullptr);
    return set("MPI_Type_set_attr", &type->attributes, handle, key, value);
}

int MPI_Type_get_attr(MPI_Datatype handle, int key, void* value, int* flag) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return fail(nullptr, MPI_ERR_TYPE, "MPI_Type_get_attr", nullptr);
    get(type->attributes, key, value, flag);
    return MPI_SUCCESS;
}

int MPI_Type_delete_attr(MPI_Datatype handle, int key) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        return fail(nullptr, MPI_ERR_TYPE, "MPI_Type_delete_attr", nullptr);
    return drop("MPI_Type_delete_attr", type->attributes, handle, key);
}
}
