// Standard input and files, which a program with a main() reads by the functions of C.
//
// Rank 0 has the input of the run as its standard input; that of the others is at its end, as
// mpirun has it. fopen() finds the files of `mesh run --files DIR`, for every rank. Both lie at the
// host tool, from where a buffer of a file is filled as it is read; no model time passes, and other
// processes of the node go on.
#include "fiber/fiber.hpp"
#include "hal/console.hpp"
#include "hal/heap.hpp"
#include "libc/scan.hpp"
#include "wire/app_parameters.hpp"
#include "wire/bytes.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

namespace {

using mesh::stdio::kEndOfFile;

#ifdef __SEOF // newlib, where feof() is a macro that looks at these flags
constexpr auto kAtEnd = __SEOF;
#else // glibc, the same of feof_unlocked()
constexpr int kAtEnd = 0x10;
#endif

constexpr std::uint32_t kNowhere = 0xFFFF'FFFF;

/// A file that is read: some bytes of what nodes pull.
struct File {
    FILE base{}; // what the macros of the C library look at
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
    std::uint32_t next = 0;            // the character that is read next
    std::uint32_t buffered = kNowhere; // what the buffer begins with
    int given_back = kEndOfFile;
    std::array<std::byte, mesh::wire::kHostChunkBytesMax> buffer;

    void open(std::uint32_t from, std::uint32_t count) {
        begin = from;
        bytes = count;
        seek(0);
        buffered = kNowhere;
    }
    void seek(std::uint32_t to) {
        next = to;
        given_back = kEndOfFile;
        base._flags = static_cast<decltype(base._flags)>(base._flags & ~kAtEnd);
    }
    int get();
    void fill();
};

int File::get() {
    if (given_back != kEndOfFile)
        return std::exchange(given_back, kEndOfFile);
    if (next >= bytes) {
        base._flags = static_cast<decltype(base._flags)>(base._flags | kAtEnd);
        return kEndOfFile;
    }
    if (buffered == kNowhere || next < buffered || next - buffered >= buffer.size())
        fill();
    return static_cast<unsigned char>(buffer[next++ - buffered]);
}

/// With what the file has from `next` on. What was printed before is seen before.
void File::fill() {
    mesh::console_flush();
    const auto room = std::span(buffer).first(std::min<std::size_t>(buffer.size(), bytes - next));
    while (!mesh::fiber::await(mesh::fiber::node().pull(begin + next, room))) {
    }
    buffered = next;
}

File the_input;
bool input_is_open = false;

mesh::wire::FileParameters file_parameters() {
    return mesh::wire::load<mesh::wire::FileParameters>(mesh::fiber::node().job().parameters,
                                                        sizeof(mesh::wire::AppParameters));
}

void open_input() {
    const mesh::Kernel& node = mesh::fiber::node();
    const bool is_first = mesh::index(node.id()) == 0;
    the_input.open(0, is_first ? node.job().input_bytes : 0);
    if (is_first && file_parameters().unread_terminal != 0)
        std::printf("standard input is a terminal, which is not read: mesh run ... <FILE gives a "
                    "file, --input - what you type before the run, to Ctrl-D\n");
}

/// Every open file; nullptr: it is none that can be read.
File* file_of(FILE* stream) {
    if (stream == nullptr || mesh::is_console(stream)) {
        errno = EBADF;
        return nullptr;
    }
    auto* const file = reinterpret_cast<File*>(stream);
    if (file == &the_input && !std::exchange(input_is_open, true))
        open_input();
    return file;
}

/// The words that a call which cannot be done gets, once for each reason.
void tell(bool& told, const char* name, const char* mode, const char* why) {
    if (!std::exchange(told, true))
        std::printf("fopen(\"%s\", \"%s\") gives NULL: %s\n", name, mode, why);
}

std::uint32_t get_word(File& file) {
    std::uint32_t word = 0;
    for (unsigned byte = 0; byte < sizeof word; ++byte)
        word |= static_cast<std::uint32_t>(file.get() & 0xFF) << 8 * byte;
    return word;
}

/// True if the file goes on with this name, of so many letters; goes behind it in any case.
bool get_name(File& file, std::string_view name, std::uint32_t letters) {
    bool same = letters == name.size();
    for (std::uint32_t at = 0; at < letters; ++at) {
        const int letter = file.get();
        same = same && letter == static_cast<unsigned char>(name[at]);
    }
    return same;
}

/// Opens what the list of the run's files has by this name. False: nothing.
bool find(File& file, std::string_view name) {
    while (name.starts_with("./"))
        name.remove_prefix(2);
    file.open(mesh::wire::kFilesAt, file_parameters().list_bytes);
    while (file.next < file.bytes) {
        const std::uint32_t position = get_word(file);
        const std::uint32_t bytes = get_word(file);
        if (get_name(file, name, get_word(file))) {
            file.open(position, bytes);
            return true;
        }
    }
    return false;
}

/// False, with errno: there is no such file, or it is not to be read.
bool open_file(File& file, const char* name, const char* mode) {
    static bool told_reading = false;
    static bool told_writing = false;
    if (*mode != 'r' || std::strchr(mode, '+') != nullptr) {
        tell(told_writing, name, mode,
             "a node has no files to write: print it; mesh run --log DIR keeps what each node "
             "prints");
        errno = EROFS;
        return false;
    }
    if (file_parameters().list_bytes == 0)
        tell(told_reading, name, mode,
             "a node has no files of its own: mesh run --files DIR gives it those of a folder to "
             "read");
    const bool found = find(file, name);
    if (!found)
        errno = ENOENT;
    return found;
}

/// Calls `use` with each character up to one for which it returns false; how many there were.
template <class Use>
std::size_t for_each_character(File& file, const Use& use) {
    for (std::size_t count = 0;; ++count) {
        const int character = file.get();
        if (character == kEndOfFile || !use(static_cast<char>(character)))
            return count + (character == kEndOfFile ? 0 : 1);
    }
}

int scan(FILE* stream, const char* text, std::va_list values) {
    File* const file = file_of(stream);
    if (file == nullptr)
        return kEndOfFile;
    const mesh::stdio::Source source{
        [](void* context) { return static_cast<File*>(context)->get(); },
        [](void* context, int character) { static_cast<File*>(context)->given_back = character; },
        file};
    return mesh::stdio::scan(source, text, values);
}

} // namespace

extern "C" {

#ifdef __NEWLIB__
namespace {
FILE the_output{};
FILE the_errors{};

/// All three are NULL before newlib's own functions begin, which nobody calls, and so would be what
/// fopen() gives for a file that is not there.
struct SetStreams {
    SetStreams() {
        stdin = &the_input.base;
        stdout = &the_output;
        stderr = &the_errors;
    }
} const set_streams;
} // namespace
#else
FILE* mesh_stdin = &the_input.base;
#endif

int mesh_fgetc(FILE* stream) {
    File* const file = file_of(stream);
    return file == nullptr ? kEndOfFile : file->get();
}
#ifdef __NEWLIB__
/// Called by getchar_unlocked() when a buffer of newlib's is empty, that is, always.
int __srget_r(_reent*, FILE* stream) {
    stream->_r = 0;
    return mesh_fgetc(stream);
}
#endif
int mesh_getchar() { return mesh_fgetc(&the_input.base); }

int mesh_ungetc(int character, FILE* stream) {
    File* const file = file_of(stream);
    if (file == nullptr || character == kEndOfFile || file->given_back != kEndOfFile)
        return kEndOfFile;
    file->given_back = static_cast<unsigned char>(character);
    file->base._flags = static_cast<decltype(file->base._flags)>(file->base._flags & ~kAtEnd);
    return file->given_back;
}

char* mesh_fgets(char* into, int bytes, FILE* stream) {
    File* const file = file_of(stream);
    if (file == nullptr || bytes <= 0)
        return nullptr;
    char* at = into;
    if (bytes > 1)
        for_each_character(*file, [&](char character) {
            *at++ = character;
            return character != '\n' && at < into + bytes - 1;
        });
    if (at == into && bytes > 1)
        return nullptr;
    *at = '\0';
    return into;
}

std::size_t mesh_fread(void* into, std::size_t bytes, std::size_t count, FILE* stream) {
    File* const file = file_of(stream);
    if (file == nullptr || bytes == 0 || count == 0)
        return 0;
    auto* const first = static_cast<char*>(into);
    char* at = first;
    const char* const end = first + bytes * count;
    return for_each_character(*file,
                              [&](char character) {
                                  *at++ = character;
                                  return at < end;
                              }) /
           bytes;
}

/// In a block of the heap, which grows as it must.
long mesh_getdelim(char** line, std::size_t* bytes, int delimiter, FILE* stream) {
    File* const file = file_of(stream);
    if (file == nullptr)
        return kEndOfFile;
    if (*line == nullptr)
        *bytes = 0;
    std::size_t count = 0;
    bool room = true;
    const auto put = [&](char character) {
        if (count == *bytes) {
            constexpr std::size_t kLeast = 64;
            const std::size_t larger = std::max(kLeast, 2 * *bytes);
            void* const block = mesh_realloc(*line, larger);
            room = block != nullptr;
            if (!room)
                return false;
            *line = static_cast<char*>(block);
            *bytes = larger;
        }
        (*line)[count++] = character;
        return true;
    };
    for_each_character(*file,
                       [&](char character) { return put(character) && character != delimiter; });
    if (count == 0 || !put('\0'))
        return kEndOfFile;
    return static_cast<long>(count - 1);
}
long mesh_getline(char** line, std::size_t* bytes, FILE* stream) {
    return mesh_getdelim(line, bytes, '\n', stream);
}

int mesh_vfscanf(FILE* stream, const char* text, std::va_list values) {
    return scan(stream, text, values);
}
int mesh_vscanf(const char* text, std::va_list values) {
    return scan(&the_input.base, text, values);
}
int mesh_fscanf(FILE* stream, const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = scan(stream, text, values);
    va_end(values);
    return count;
}
int mesh_scanf(const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    const int count = scan(&the_input.base, text, values);
    va_end(values);
    return count;
}

int mesh_feof(FILE* stream) {
    const File* const file = file_of(stream);
    return file != nullptr && (file->base._flags & kAtEnd) != 0 ? 1 : 0;
}
int mesh_ferror(FILE*) { return 0; }
void mesh_clearerr(FILE* stream) {
    if (File* const file = file_of(stream))
        file->base._flags = static_cast<decltype(file->base._flags)>(file->base._flags & ~kAtEnd);
}

long mesh_ftell(FILE* stream) {
    const File* const file = file_of(stream);
    if (file == nullptr)
        return kEndOfFile;
    return static_cast<long>(file->next) - (file->given_back != kEndOfFile ? 1 : 0);
}

int mesh_fseek(FILE* stream, long offset, int from) {
    File* const file = file_of(stream);
    if (file == nullptr)
        return kEndOfFile;
    const std::int64_t base = from == SEEK_CUR   ? mesh_ftell(stream)
                              : from == SEEK_END ? std::int64_t{file->bytes}
                                                 : 0;
    const std::int64_t to = base + offset;
    if (to < 0 || to >= kNowhere) {
        errno = EINVAL;
        return kEndOfFile;
    }
    file->seek(static_cast<std::uint32_t>(to));
    return 0;
}
void mesh_rewind(FILE* stream) { mesh_fseek(stream, 0, SEEK_SET); }

FILE* mesh_fopen(const char* name, const char* mode) {
    void* const place = mesh_malloc(sizeof(File));
    if (place == nullptr) {
        errno = ENOMEM;
        return nullptr;
    }
    auto* const file = new (place) File;
    if (open_file(*file, name, mode))
        return &file->base;
    mesh_free(place);
    return nullptr;
}

FILE* mesh_freopen(const char* name, const char* mode, FILE* stream) {
    File* const file = file_of(stream);
    if (name != nullptr && file != nullptr && open_file(*file, name, mode))
        return stream;
    return nullptr;
}

int mesh_fclose(FILE* stream) {
    if (mesh::is_console(stream))
        return 0;
    File* const file = file_of(stream);
    if (file == nullptr)
        return kEndOfFile;
    if (file != &the_input)
        mesh_free(file);
    return 0;
}

// Their other names in the headers of C libraries.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::alias("mesh_fgetc")]] int mesh_getc(FILE*);
[[gnu::alias("mesh_fgetc")]] int mesh_getc_unlocked(FILE*);
[[gnu::alias("mesh_fgetc")]] int mesh_fgetc_unlocked(FILE*);
[[gnu::alias("mesh_fgetc")]] int mesh___uflow(FILE*);
[[gnu::alias("mesh_getchar")]] int mesh_getchar_unlocked();
[[gnu::alias("mesh_fgets")]] char* mesh_fgets_unlocked(char*, int, FILE*);
[[gnu::alias("mesh_fread")]] std::size_t mesh_fread_unlocked(void*, std::size_t, std::size_t,
                                                             FILE*);
[[gnu::alias("mesh_feof")]] int mesh_feof_unlocked(FILE*);
[[gnu::alias("mesh_getdelim")]] long mesh___getdelim(char**, std::size_t*, int, FILE*);
[[gnu::alias("mesh_fseek")]] int mesh_fseeko(FILE*, long, int);
[[gnu::alias("mesh_ftell")]] long mesh_ftello(FILE*);
[[gnu::alias("mesh_scanf")]] int mesh___isoc99_scanf(const char*, ...);
[[gnu::alias("mesh_scanf")]] int mesh___isoc23_scanf(const char*, ...);
[[gnu::alias("mesh_fscanf")]] int mesh___isoc99_fscanf(FILE*, const char*, ...);
[[gnu::alias("mesh_fscanf")]] int mesh___isoc23_fscanf(FILE*, const char*, ...);
[[gnu::alias("mesh_vscanf")]] int mesh___isoc99_vscanf(const char*, std::va_list);
[[gnu::alias("mesh_vscanf")]] int mesh___isoc23_vscanf(const char*, std::va_list);
[[gnu::alias("mesh_vfscanf")]] int mesh___isoc99_vfscanf(FILE*, const char*, std::va_list);
[[gnu::alias("mesh_vfscanf")]] int mesh___isoc23_vfscanf(FILE*, const char*, std::va_list);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
