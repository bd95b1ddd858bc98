#include "mpi/datatypes/attributes.hpp"

#include "mpi/datatypes/types.hpp"
#include "mpi/objects/queue.hpp"

namespace mesh::mpi {

namespace {

/// The function MPI_COMM_DUP_FN, a constant of the ABI: the value is copied as it is.
const auto kCopiesValue = reinterpret_cast<AttributeCopy*>(1);
constexpr int kLastStandardKey = MPI_WIN_MODEL;
static_assert(kLastStandardKey > MPI_LASTUSEDCODE);

/// A key of the program's own.
struct Key {
    Key* next;
    int number;
    const ObjectKind* kind; // of the objects that it is for
    AttributeCopy* copy;
    AttributeDrop* drop;
    void* extra;
    unsigned owners = 1; // the program until it frees it, and each attribute
    bool is_freed = false;
};

Queue<Key> keys;
int last_number = kLastStandardKey;

Key** find_key(int number) {
    return keys.find([number](const Key& one) { return one.number == number; });
}

void release_key(Key* key) {
    if (--key->owners == 0)
        destroy(keys.take(find_key(key->number)));
}

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

/// Tells the function of a key that a value goes, also if another one takes its place.
int tell_dropped(const Key& key, void* value, void* handle) {
    return key.drop == nullptr ? MPI_SUCCESS : key.drop(handle, key.number, value, key.extra);
}

// The function may do anything, also to the attributes of this object: so the attribute is taken
// out first, and nothing else of them is used.
int drop_one(Attributes& attributes, Attribute** link, void* handle) {
    Attribute* const attribute = *link;
    *link = attribute->next;
    const int code = tell_dropped(*attribute->key, attribute->value, handle);
    if (code != MPI_SUCCESS) {
        attribute->next = attributes.first;
        attributes.first = attribute;
        return code;
    }
    release_key(attribute->key);
    destroy(attribute);
    return MPI_SUCCESS;
}

int drop_all(Attributes** attributes, void* handle) {
    while (*attributes != nullptr && (*attributes)->first != nullptr)
        if (const int code = drop_one(**attributes, &(*attributes)->first, handle);
            code != MPI_SUCCESS)
            return code;
    destroy(*attributes);
    *attributes = nullptr;
    return MPI_SUCCESS;
}

int copy_all(const Attributes& from, void* handle, Attributes** to);

/// Adds an attribute before the others, or, `last`, behind them. False: the heap has no room.
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

/// Asks the function of a key whether its attribute is copied, and copies it.
int copy_one(Key* key, void* value, void* handle, Attributes** to) {
    void* copied = value;
    int is_copied = key->copy == kCopiesValue ? 1 : 0;
    if (key->copy != nullptr && key->copy != kCopiesValue) {
        const int code = key->copy(handle, key->number, key->extra, value, &copied, &is_copied);
        if (code != MPI_SUCCESS)
            return code;
    }
    return is_copied == 0 || add(to, key, copied, true) ? int{MPI_SUCCESS} : int{MPI_ERR_NO_MEM};
}

// The functions may change the list that is copied, so its attributes are noted before.
int copy_all(const Attributes& from, void* handle, Attributes** to) {
    std::size_t count = 0;
    for (const Attribute* one = from.first; one != nullptr; one = one->next)
        ++count;
    const Room room(count * sizeof(Attribute));
    const std::span ours(reinterpret_cast<Attribute*>(room.data()), count);
    const Attribute* one = from.first;
    for (Attribute& its : ours) {
        its = *one;
        ++its.key->owners;
        one = one->next;
    }
    int code = MPI_SUCCESS;
    for (const Attribute& its : ours) {
        if (code == MPI_SUCCESS)
            code = copy_one(its.key, its.value, handle, to);
        release_key(its.key);
    }
    return code;
}

/// The key with this number; nullptr: it is refused. A key that is freed stays as long as
/// attributes have it, and calls may look for these by it (MPI 4.1, 7.7.2).
Key* key_of(Checks& checks, const ObjectKind& kind, int number, bool may_be_freed = true) {
    Key* const key = *find_key(number);
    if (key != nullptr && key->kind == &kind && (may_be_freed || !key->is_freed))
        return key;
    checks.refuse(MPI_ERR_KEYVAL,
                  number == MPI_KEYVAL_INVALID ? "not a key of attributes: MPI_KEYVAL_INVALID"
                  : key == nullptr             ? "not a key of attributes: there is none such"
                  : key->is_freed              ? "not a key of attributes: it was freed"
                                               : "a key of attributes of another kind of object");
    return nullptr;
}

/// An object that stays until a function of the program's own has come back.
template <class T>
class Staying {
public:
    explicit Staying(T& object) : object_(object) { ++object.owners; }
    Staying(const Staying&) = delete;
    Staying& operator=(const Staying&) = delete;
    ~Staying() { release_one(object_); }

private:
    static void release_one(Comm& comm) { release(comm); }
    static void release_one(Type& type) { release(&type); }
    static void release_one(Key& key) { release_key(&key); }
    T& object_;
};

} // namespace

int create_key(Checks& checks, const ObjectKind& kind, AttributeCopy* copy, AttributeDrop* drop,
               int* number, void* extra) {
    auto* const key = make<Key>(nullptr, last_number + 1, &kind, copy, drop, extra);
    if (key == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    keys.push(*key);
    *number = ++last_number;
    return MPI_SUCCESS;
}

void free_key(Checks& checks, const ObjectKind& kind, int* number) {
    Key* const key = key_of(checks, kind, *number);
    if (key == nullptr)
        return;
    // A copy of its number may be freed again, when the program is an owner no more.
    if (!key->is_freed) {
        key->is_freed = true;
        release_key(key);
    }
    *number = MPI_KEYVAL_INVALID;
}

template <class T>
int set_attribute(Checks& checks, T& object, int number, void* value) {
    Key* const key = key_of(checks, *object.object_kind, number, false);
    if (key == nullptr)
        return checks.code();
    const Staying<T> staying(object);
    const Staying<Key> staying_key(*key);
    const auto find = [&]() -> Attribute* {
        return object.attributes == nullptr ? nullptr : *find_attribute(*object.attributes, number);
    };
    if (const Attribute* const found = find(); found != nullptr) {
        const int code = tell_dropped(*key, found->value, handle_of(object));
        if (code != MPI_SUCCESS)
            return checks.refuse(code, "the function that is told of the old value refuses");
    }
    if (Attribute* const found = find(); found != nullptr)
        found->value = value;
    else if (!add(&object.attributes, key, value))
        checks.refuse(MPI_ERR_NO_MEM, nullptr);
    return checks.code();
}

template <class T>
int get_attribute(Checks& checks, const T& object, int number, void* value, int* flag) {
    if (key_of(checks, *object.object_kind, number) == nullptr)
        return checks.code();
    const Attribute* const found =
        object.attributes == nullptr ? nullptr : *find_attribute(*object.attributes, number);
    *flag = found != nullptr;
    if (found != nullptr)
        *static_cast<void**>(value) = found->value;
    return MPI_SUCCESS;
}

template <class T>
int delete_attribute(Checks& checks, T& object, int number) {
    if (key_of(checks, *object.object_kind, number) == nullptr)
        return checks.code();
    Attributes* const attributes = object.attributes;
    Attribute** const link = attributes == nullptr ? nullptr : find_attribute(*attributes, number);
    if (link == nullptr || *link == nullptr)
        return checks.refuse(MPI_ERR_KEYVAL, "the object has no attribute under this key");
    const Staying<T> staying(object);
    const int code = drop_one(*attributes, link, handle_of(object));
    return code == MPI_SUCCESS
               ? code
               : checks.refuse(code, "the function that is told of its end refuses");
}

template int set_attribute(Checks&, Comm&, int, void*);
template int get_attribute(Checks&, const Comm&, int, void*, int*);
template int delete_attribute(Checks&, Comm&, int);
template int set_attribute(Checks&, Type&, int, void*);
template int get_attribute(Checks&, const Type&, int, void*, int*);
template int delete_attribute(Checks&, Type&, int);

namespace {

/// A value of the standard; nullptr: there is none under this key.
int* standard_value(int key) {
    static int tags = kTagMax;
    static int yes = 1;
    static int host = MPI_PROC_NULL;
    static int io = MPI_ANY_SOURCE;
    static int nodes = 0;
    static int first_program = 0;
    nodes = the_world.size();
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

int comm_get_attr(Checks& checks, int key, void* value, int* flag) {
    int* const standard = standard_value(key);
    if (standard == nullptr)
        return get_attribute(checks, checks.comm(), key, value, flag);
    *flag = 1;
    *static_cast<int**>(value) = standard;
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/attributes.inc"
