// Info: pairs of words, in the order in which they were set. No call of this MPI looks into one.
#include "mpi/objects.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

namespace {

struct Entry {
    Entry* next;
    char* value;
    char key[MPI_MAX_INFO_KEY + 1];
};

} // namespace

} // namespace mesh::mpi

struct MPI_ABI_Info {
    mesh::mpi::Entry* first = nullptr;
};

namespace mesh::mpi {

namespace {

/// The link to the entry, or the one behind the last.
Entry** find(MPI_Info info, const char* key) {
    Entry** link = &info->first;
    while (*link != nullptr && std::strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

Entry* entry(MPI_Info info, const char* key) {
    return is_fixed(info) ? nullptr : *find(info, key); // MPI_INFO_ENV is empty
}

void drop(Entry** link) {
    Entry* const gone = *link;
    *link = gone->next;
    mesh_free(gone->value);
    destroy(gone);
}

int bad_info(const char* call) { return fail(nullptr, MPI_ERR_INFO, call, "not an info"); }

/// As much as fits into `room` with its end.
void copy_words(const char* from, char* into, std::size_t room) {
    const std::size_t length = std::min(std::strlen(from), room - 1);
    *std::copy_n(from, length, into) = '\0';
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Info_create(MPI_Info* info) {
    *info = make<MPI_ABI_Info>();
    return *info != nullptr ? MPI_SUCCESS
                            : fail(nullptr, MPI_ERR_NO_MEM, "MPI_Info_create", nullptr);
}

int MPI_Info_free(MPI_Info* info) {
    if (is_fixed(*info))
        return bad_info("MPI_Info_free");
    while ((*info)->first != nullptr)
        drop(&(*info)->first);
    destroy(*info);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
    constexpr const char* kCall = "MPI_Info_set";
    if (is_fixed(info))
        return bad_info(kCall);
    const std::size_t bytes = std::strlen(value) + 1;
    if (*key == '\0' || std::strlen(key) > MPI_MAX_INFO_KEY)
        return fail(nullptr, MPI_ERR_INFO_KEY, kCall, "a key has 1 to 256 letters");
    if (bytes > MPI_MAX_INFO_VAL)
        return fail(nullptr, MPI_ERR_INFO_VALUE, kCall, "a value has at most 1023 letters");
    Entry** const link = find(info, key);
    auto* const copy = static_cast<char*>(mesh_malloc(bytes));
    if (copy != nullptr && *link == nullptr)
        *link = make<Entry>();
    if (copy == nullptr || *link == nullptr)
        return fail(nullptr, MPI_ERR_NO_MEM, kCall, nullptr);
    std::copy_n(value, bytes, copy);
    copy_words(key, (*link)->key, sizeof(*link)->key);
    mesh_free((*link)->value);
    (*link)->value = copy;
    return MPI_SUCCESS;
}

int MPI_Info_delete(MPI_Info info, const char* key) {
    if (is_fixed(info))
        return bad_info("MPI_Info_delete");
    Entry** const link = find(info, key);
    if (*link == nullptr)
        return fail(nullptr, MPI_ERR_INFO_NOKEY, "MPI_Info_delete", "there is no such key");
    drop(link);
    return MPI_SUCCESS;
}

int MPI_Info_get(MPI_Info info, const char* key, int length, char* value, int* flag) {
    const Entry* const found = entry(info, key);
    *flag = found != nullptr;
    if (found != nullptr)
        copy_words(found->value, value, static_cast<std::size_t>(length) + 1);
    return MPI_SUCCESS;
}

// `room` counts the end of the words, before and after.
int MPI_Info_get_string(MPI_Info info, const char* key, int* room, char* value, int* flag) {
    const Entry* const found = entry(info, key);
    *flag = found != nullptr;
    if (found == nullptr)
        return MPI_SUCCESS;
    if (*room > 0)
        copy_words(found->value, value, static_cast<std::size_t>(*room));
    *room = static_cast<int>(std::strlen(found->value)) + 1;
    return MPI_SUCCESS;
}

int MPI_Info_get_valuelen(MPI_Info info, const char* key, int* length, int* flag) {
    const Entry* const found = entry(info, key);
    *flag = found != nullptr;
    if (found != nullptr)
        *length = static_cast<int>(std::strlen(found->value));
    return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int* count) {
    *count = 0;
    for (const Entry* at = is_fixed(info) ? nullptr : info->first; at != nullptr; at = at->next)
        ++*count;
    return MPI_SUCCESS;
}

int MPI_Info_get_nthkey(MPI_Info info, int number, char* key) {
    const Entry* at = is_fixed(info) ? nullptr : info->first;
    while (at != nullptr && number-- > 0)
        at = at->next;
    if (at == nullptr)
        return fail(nullptr, MPI_ERR_INFO_NOKEY, "MPI_Info_get_nthkey", "there are fewer keys");
    copy_words(at->key, key, sizeof at->key);
    return MPI_SUCCESS;
}

int MPI_Info_dup(MPI_Info info, MPI_Info* copy) {
    int code = MPI_Info_create(copy);
    for (const Entry* at = is_fixed(info) ? nullptr : info->first;
         at != nullptr && code == MPI_SUCCESS; at = at->next)
        code = MPI_Info_set(*copy, at->key, at->value);
    return code;
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info) { return Checks("MPI_Comm_set_info", comm).code(); }

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info) {
    const Checks checks("MPI_Comm_get_info", comm);
    return checks.bad() ? checks.code() : MPI_Info_create(info);
}
}
