#include "files.hpp"

#include "errors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// True for a pipe or a device, and for /dev/stdout and its like: these are not to be replaced.
bool is_special(const std::string& path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    const bool device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    return device || path.starts_with("/proc/") ||
           (fs::exists(status) && !fs::is_regular_file(status));
}

/// The file behind all links.
fs::path target_of(const std::string& path) {
    std::error_code error;
    fs::path target = fs::weakly_canonical(path, error);
    return error ? fs::path(path) : target;
}

/// Writes and closes. False with errno if it did not all arrive.
bool write_and_close(int file, const ByteSpans& spans) {
    int reason = 0;
    for (const std::span<const std::byte> span : spans)
        if (reason == 0)
            reason = write_all(file, span);
    const bool closed = close(file) == 0;
    if (reason != 0)
        errno = reason;
    return closed && reason == 0;
}

/// The rights of the file that is replaced, or those of any new file.
mode_t rights_for(const fs::path& path) {
    struct stat there = {};
    if (stat(path.c_str(), &there) == 0)
        return there.st_mode & 07777u;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666u & ~mask;
}

bool replace(const fs::path& path, const ByteSpans& spans) {
    std::string other = path.string() + ".XXXXXX";
    const int file = mkstemp(other.data());
    if (file < 0)
        return false;
    const bool allowed = fchmod(file, rights_for(path)) == 0;
    if (write_and_close(file, spans) && allowed && rename(other.c_str(), path.c_str()) == 0)
        return true;
    const int reason = errno;
    unlink(other.c_str());
    errno = reason;
    return false;
}

bool write_as_it_stands(const std::string& path, const ByteSpans& spans) {
    std::fflush(stdout); // the same file, perhaps
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    return file >= 0 && write_and_close(file, spans);
}

} // namespace

void check_writable(const std::string& path, std::string_view option) {
    std::error_code error;
    if (fs::is_directory(path, error))
        refuse(Refusal::file, "{} '{}': is a folder; give a file", option, path);
    const bool there = fs::exists(path, error);
    if (!there && fs::is_symlink(fs::symlink_status(path, error)))
        refuse(Refusal::file, "{} '{}': is a link to '{}', which is not there", option, path,
               fs::read_symlink(path, error).string());
    if ((there || is_special(path)) && access(path.c_str(), W_OK) != 0)
        refuse(Refusal::file, "{} '{}': cannot be written: {}", option, path, std::strerror(errno));
    if (!is_special(path) && access(folder_of(target_of(path)).c_str(), W_OK | X_OK) != 0)
        refuse(Refusal::file, "{} '{}': its folder cannot be written: {}", option, path,
               std::strerror(errno));
}

void check_new_folder(const std::string& path, std::string_view option) {
    std::error_code error;
    const bool empty = !fs::exists(path, error) || fs::is_empty(path, error);
    if (error || (fs::exists(path, error) && !fs::is_directory(path, error)))
        refuse(Refusal::file, "{} '{}': no folder; give the name of a new one", option, path);
    if (!empty)
        refuse(Refusal::file, "{} '{}': not empty; give the name of a new folder", option, path);
}

void write_whole(const std::string& path, std::span<const std::byte> bytes,
                 std::string_view option) {
    write_whole(path, ByteSpans{bytes}, option);
}

void write_whole(const std::string& path, const ByteSpans& spans, std::string_view option) {
    errno = 0;
    const bool done =
        is_special(path) ? write_as_it_stands(path, spans) : replace(target_of(path), spans);
    if (!done)
        throw RunError(
            fmt::format("{} '{}': cannot be written: {}", option, path, std::strerror(errno)));
}

int write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(file, bytes.data(), bytes.size());
        if (count == 0)
            return EIO;
        if (count < 0 && errno != EINTR)
            return errno;
        bytes = bytes.subspan(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    return 0;
}

} // namespace mesh::host
