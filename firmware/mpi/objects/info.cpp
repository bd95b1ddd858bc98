// Info: pairs of words, in the order in which they were set. No call of this MPI looks into one.
#include "mpi/objects/objects.hpp"
#include "mpi/objects/queue.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

namespace {

struct Entry {
    Entry* next;
    char* key;
    char* value;
};

struct Info : ObjectOf<kInfo, MPI_Info> {
    Queue<Entry> entries;
};

/// The link to the entry of a key, or the one behind the last.
Entry** find(Info& info, const char* key) {
    return info.entries.find([key](const Entry& one) { return std::strcmp(one.key, key) == 0; });
}

/// The first entry of an info that is only read; nullptr: there is none. MPI_INFO_ENV is empty.
Entry* first_of(Checks& checks, MPI_Info handle) {
    Info* const info = handle == MPI_INFO_ENV ? nullptr : checks.object<Info>(handle);
    return info == nullptr ? nullptr : *info->entries.begin();
}
/// The entry of a key in such an info; nullptr: there is none.
const Entry* entry(Checks& checks, MPI_Info handle, const char* key) {
    Info* const info = handle == MPI_INFO_ENV ? nullptr : checks.object<Info>(handle);
    return info == nullptr ? nullptr : *find(*info, key);
}

void drop(Info& info, Entry** link) {
    Entry* const gone = info.entries.take(link);
    mesh_free(gone->key);
    mesh_free(gone->value);
    destroy(gone);
}

/// Puts a copy on the heap in place of other words. False: the heap has no room.
bool replace_words(char*& words, const char* by) {
    const std::size_t bytes = std::strlen(by) + 1;
    auto* const copy = static_cast<char*>(mesh_malloc(bytes));
    if (copy == nullptr)
        return false;
    std::copy_n(by, bytes, copy);
    mesh_free(words);
    words = copy;
    return true;
}

int info_create(Checks& checks, MPI_Info* info) {
    auto* const made = make<Info>();
    if (made == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    *info = give_handle(*made);
    return MPI_SUCCESS;
}

void info_free(Checks& checks, MPI_Info* handle) {
    auto* const info = checks.object<Info>(*handle);
    if (info == nullptr)
        return;
    while (*info->entries.begin() != nullptr)
        drop(*info, info->entries.begin());
    destroy(info);
    *handle = MPI_INFO_NULL;
}

int info_set(Checks& checks, MPI_Info handle, const char* key, const char* value) {
    auto* const info = checks.object<Info>(handle);
    checks
        .require(*key != '\0' && std::strlen(key) < MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY,
                 "a key has 1 to 255 letters")
        .require(std::strlen(value) < MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE,
                 "a value has at most 1023 letters");
    if (checks.bad())
        return checks.code();
    Entry** const link = find(*info, key);
    const bool is_new = *link == nullptr;
    if (auto* const made = is_new ? make<Entry>() : nullptr; made != nullptr)
        info->entries.push(*made);
    if (*link != nullptr && (!is_new || replace_words((*link)->key, key)) &&
        replace_words((*link)->value, value))
        return MPI_SUCCESS;
    if (is_new && *link != nullptr)
        drop(*info, link);
    return checks.refuse(MPI_ERR_NO_MEM, nullptr);
}

int info_delete(Checks& checks, MPI_Info handle, const char* key) {
    auto* const info = checks.object<Info>(handle);
    if (info == nullptr)
        return checks.code();
    Entry** const link = find(*info, key);
    if (*link == nullptr)
        return checks.refuse(MPI_ERR_INFO_NOKEY, "there is no such key");
    drop(*info, link);
    return MPI_SUCCESS;
}

void info_get(Checks& checks, MPI_Info info, const char* key, int length, char* value, int* flag) {
    const Entry* const found = entry(checks, info, key);
    *flag = found != nullptr;
    if (!checks.require(length >= 0, MPI_ERR_ARG, "not a length: it is negative").bad() &&
        found != nullptr)
        copy_text(found->value, value, static_cast<std::size_t>(length) + 1);
}

// `room` counts the end of the words, before and after.
void info_get_string(Checks& checks, MPI_Info info, const char* key, int* room, char* value,
                     int* flag) {
    const Entry* const found = entry(checks, info, key);
    *flag = found != nullptr;
    if (found == nullptr)
        return;
    if (*room > 0)
        copy_text(found->value, value, static_cast<std::size_t>(*room));
    *room = static_cast<int>(std::strlen(found->value)) + 1;
}

void info_get_valuelen(Checks& checks, MPI_Info info, const char* key, int* length, int* flag) {
    const Entry* const found = entry(checks, info, key);
    *flag = found != nullptr;
    if (found != nullptr)
        *length = static_cast<int>(std::strlen(found->value));
}

void info_get_nkeys(Checks& checks, MPI_Info info, int* count) {
    *count = 0;
    for (const Entry* at = first_of(checks, info); at != nullptr; at = at->next)
        ++*count;
}

int info_get_nthkey(Checks& checks, MPI_Info info, int number, char* key) {
    const Entry* at = first_of(checks, info);
    while (at != nullptr && number-- > 0)
        at = at->next;
    if (at == nullptr)
        return checks.refuse(MPI_ERR_INFO_NOKEY, "there are fewer keys");
    copy_text(at->key, key, MPI_MAX_INFO_KEY);
    return MPI_SUCCESS;
}

int info_dup(Checks& checks, MPI_Info info, MPI_Info* copy) {
    const Entry* at = first_of(checks, info);
    int code = checks.bad() ? checks.code() : info_create(checks, copy);
    for (; at != nullptr && code == MPI_SUCCESS; at = at->next)
        code = info_set(checks, *copy, at->key, at->value);
    return code;
}

void comm_set_info(const Checks&) {}

} // namespace

} // namespace mesh::mpi

#include "doors/info.inc"
