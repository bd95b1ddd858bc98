#include "own_folder.hpp"

#include "errors.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace mesh::host {

namespace fs = std::filesystem;

bool make_own_folder(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    mkdir(path.c_str(), S_IRWXU); // a folder that is there is checked like a new one
    struct stat there = {};
    return lstat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) &&
           there.st_uid == geteuid() && (there.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           access(path.c_str(), W_OK | X_OK) == 0;
}

fs::path temporary_folder() {
    const char* const named = std::getenv("TMPDIR");
    if (named != nullptr && *named == '\0') // as if it were not set
        return "/tmp";
    std::error_code error;
    fs::path folder = fs::temp_directory_path(error);
    if (error)
        refuse("TMPDIR={}: {}", named != nullptr ? named : "", error.message());
    return folder;
}

namespace {

/// The file in each, which its owner holds locked.
constexpr const char* kLock = ".mesh-lock";
constexpr std::string_view kRandom = "-XXXXXX";

/// The lock of such a folder; nothing if another process holds it, or there is none.
Fd locked(const fs::path& folder, int flags) {
    Fd file(open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, S_IRWXU));
    return file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(file) : Fd();
}

/// Removes the folders of owners that were killed. A folder that has just been made may be about
/// to get its lock.
void remove_left(const fs::path& where, const std::string& name) {
    constexpr auto kNew = std::chrono::minutes(1);
    std::error_code error;
    for (fs::directory_iterator at(where, error), end; !error && at != end; at.increment(error)) {
        const std::string found = at->path().filename().string();
        if (found.size() != name.size() + kRandom.size() || !found.starts_with(name + "-"))
            continue;
        std::error_code gone;
        const auto written = fs::last_write_time(at->path(), gone);
        if (gone || written > fs::file_time_type::clock::now() - kNew)
            continue;
        if (const Fd lock = locked(at->path(), 0); lock.get() >= 0)
            fs::remove_all(at->path(), gone);
    }
}

} // namespace

TemporaryFolder::TemporaryFolder(const std::string& name, const fs::path& where) {
    remove_left(where, name);
    std::string made = (where / name).string().append(kRandom);
    if (mkdtemp(made.data()) == nullptr)
        refuse("{}: no folder can be made there", where.string());
    path_ = made;
    lock_ = locked(path_, O_CREAT);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
}

} // namespace mesh::host
