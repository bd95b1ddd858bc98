#include "view_command.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using View = std::string (*)(const Scene&);
constexpr std::array<std::pair<std::string_view, View>, 5> kViews{
    {{"html", [](const Scene& scene) { return html_view(scene); }},
     {"trace", trace_view},
     {"svg", svg_view},
     {"text", text_view},
     {"json", json_view}}};

/// The bytes of a file, as long as this lives. A pipe is read to its end.
class Mapped {
public:
    explicit Mapped(int file) {
        struct stat facts = {};
        if (fstat(file, &facts) != 0 || (S_ISREG(facts.st_mode) && facts.st_size == 0))
            return;
        if (!S_ISREG(facts.st_mode)) {
            read_all(file);
            return;
        }
        bytes_ = static_cast<std::size_t>(facts.st_size);
        area_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped() {
        if (area_ != MAP_FAILED)
            munmap(area_, bytes_);
    }
    std::span<const std::byte> bytes() const {
        return area_ == MAP_FAILED ? std::span<const std::byte>(read_)
                                   : std::span(static_cast<const std::byte*>(area_), bytes_);
    }

private:
    void read_all(int file) {
        constexpr std::size_t kChunkBytes = 1 << 16;
        for (;;) {
            const std::size_t before = read_.size();
            read_.resize(before + kChunkBytes);
            const ssize_t got = read(file, read_.data() + before, kChunkBytes);
            read_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
            if (got == 0 || (got < 0 && errno != EINTR))
                return;
        }
    }

    std::vector<std::byte> read_;
    void* area_ = MAP_FAILED;
    std::size_t bytes_ = 0;
};

/// A capture that is read. UsageError.
struct Opened {
    explicit Opened(const std::string& name)
        : file(name == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                           : open(name.c_str(), O_RDONLY | O_CLOEXEC)),
          mapped(checked(file.get(), name)),
          scene(mapped.bytes(), name) {
        if (scene.recording.cut_short)
            say("mesh: '{}' has no end: the view shows what is there\n", name);
    }
    static int checked(int opened, const std::string& name) {
        if (opened < 0)
            refuse("'{}': cannot be read: {}", name, std::strerror(errno));
        return opened;
    }

    Fd file;
    Mapped mapped;
    Scene scene;
};

} // namespace

std::vector<std::string_view> view_formats() { return names_of(kViews); }

void view_command(const ViewArguments& arguments) {
    const View view = look_up(kViews, arguments.format, "--format");
    if (!arguments.beside.empty() && arguments.format != "html")
        refuse("--beside: goes with --format html");
    if (!arguments.output.empty())
        check_writable(arguments.output, "--output");
    const Opened first(arguments.file);
    std::string text;
    if (arguments.beside.empty()) {
        text = view(first.scene);
    } else {
        const Opened second(arguments.beside);
        text = html_view(first.scene, &second.scene);
    }
    if (arguments.output.empty())
        fmt::print("{}", text);
    else
        write_whole(arguments.output, std::as_bytes(std::span(text)), "--output");
}

std::string page_of(int file) {
    const Mapped mapped(file);
    try {
        return html_view(Scene(mapped.bytes(), "--capture"));
    } catch (const UsageError& error) {
        throw RunError(error.what());
    }
}

} // namespace mesh::host
