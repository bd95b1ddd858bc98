// Errors as a program sees them: words and classes, also of its own, and functions of its own that
// MPI calls instead of ending the run.
#include "mpi/objects/errors.hpp"

#include "mpi/objects/queue.hpp"

namespace mesh::mpi {

int last_error_code = MPI_ERR_LASTCODE;

namespace {

/// A class or a code of the program's own. Stays to the end.
struct OwnCode {
    OwnCode* next;
    int code;
    int error_class;
    char text[MPI_MAX_ERROR_STRING];
};
Queue<OwnCode> own_codes;

OwnCode* find_own_code(int code) {
    return *own_codes.find([code](const OwnCode& one) { return one.code == code; });
}

const char* words(int code) {
    if (const OwnCode* const own = find_own_code(code); own != nullptr)
        return own->text;
    switch (code) {
    case MPI_ERR_ASSERT: return "not a claim about a window";
    case MPI_ERR_BASE: return "not an address of memory";
    case MPI_ERR_DISP: return "not a displacement";
    case MPI_ERR_INFO_KEY: return "not a key of an info";
    case MPI_ERR_INFO_NOKEY: return "the info has no such key";
    case MPI_ERR_INFO_VALUE: return "not a value of an info";
    case MPI_ERR_INFO: return "not an info";
    case MPI_ERR_LOCKTYPE: return "not a kind of lock";
    case MPI_ERR_RMA_ATTACH: return "memory that cannot be attached";
    case MPI_ERR_RMA_CONFLICT: return "accesses to a window that exclude each other";
    case MPI_ERR_RMA_RANGE: return "outside of the window";
    case MPI_ERR_RMA_SHARED: return "memory that is not shared";
    case MPI_ERR_RMA_SYNC: return "a window at a time when it may not be accessed";
    case MPI_ERR_SIZE: return "not a size";
    case MPI_ERR_SESSION: return "not a session";
    case MPI_ERR_WIN: return "not a window";
    case MPI_ERR_RMA_FLAVOR: return "not for a window that was made so";
    default: return words_of(code);
    }
}

/// Makes a code of a class; -1: the code is a class itself.
int add(Checks& checks, int error_class, int* code) {
    auto* const own = make<OwnCode>();
    if (own == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    own->code = ++last_error_code;
    own->error_class = error_class < 0 ? own->code : error_class;
    own_codes.push(*own);
    *code = own->code;
    return MPI_SUCCESS;
}

bool is_standard(MPI_Errhandler handler) {
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN ||
           handler == MPI_ERRORS_ABORT;
}

} // namespace

int create_errhandler(Checks& checks, MPI_Comm_errhandler_function* function,
                      MPI_Errhandler* handler) {
    if (function == nullptr)
        return checks.refuse(MPI_ERR_ARG, "no function: a null pointer");
    auto* const own = make<Errhandler>();
    if (own == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    own->function = function;
    *handler = give_handle(*own);
    return MPI_SUCCESS;
}

bool is_errhandler(Checks& checks, MPI_Errhandler handler) {
    if (!is_standard(handler))
        checks.object<Errhandler>(handler);
    return !checks.bad();
}

void set_errhandler(Checks& checks, MPI_Errhandler handler) {
    if (!is_errhandler(checks, handler))
        return;
    hold(handler);
    release(checks.comm().errhandler);
    checks.comm().errhandler = handler;
}

void get_errhandler(const Checks& checks, MPI_Errhandler* handler) {
    *handler = checks.comm().errhandler;
    if (Errhandler* const own = errhandler_of(*handler); own != nullptr) {
        ++own->owners;
        give_handle(*own);
    }
}

int call_errhandler(Checks& checks, int code) {
    checks.refuse(code, words(code));
    return MPI_SUCCESS;
}

namespace {

void error_string(int code, char* text, int* length) { give_text(words(code), text, length); }

void error_class(int code, int* its_class) {
    const OwnCode* const own = find_own_code(code);
    *its_class = own != nullptr ? own->error_class : code;
}

int add_error_class(Checks& checks, int* error_class) { return add(checks, -1, error_class); }

int add_error_string(Checks& checks, int code, const char* text) {
    OwnCode* const own = find_own_code(code);
    if (own == nullptr)
        return checks.refuse(MPI_ERR_ARG, "the code is none that the program has added");
    copy_text(text, own->text, sizeof own->text);
    return MPI_SUCCESS;
}

// Handlers of the standard stay, and their handles are set to null like others.
void errhandler_free(Checks& checks, MPI_Errhandler* handler) {
    if (!is_standard(*handler)) {
        auto* const own = checks.object<Errhandler>(*handler);
        if (own == nullptr)
            return;
        take_handle(own);
    }
    *handler = MPI_ERRHANDLER_NULL;
}

} // namespace

} // namespace mesh::mpi

#include "doors/errors.inc"
