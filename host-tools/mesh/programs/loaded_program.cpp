#include "loaded_program.hpp"

#include "compiler_help.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/memory.hpp"
#include "image_symbols.hpp"

#include "boards/host/program_memory.hpp"
#include "boards/host/stop.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace mesh::host {

namespace {

/// The addresses at which the loader has put the shared object.
struct Layout {
    std::uintptr_t base;
    std::uintptr_t code_begin = 0;
    std::uintptr_t code_end = 0;
    std::uintptr_t data_begin = 0; // of what can be written when it has been loaded
    std::uintptr_t data_end = 0;
};

/// Called for each object of this process; fills the Layout of its base.
int find_layout(dl_phdr_info* object, std::size_t, void* into) {
    auto& layout = *static_cast<Layout*>(into);
    if (object->dlpi_addr != layout.base)
        return 0;
    for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
        const std::uintptr_t begin = layout.base + segment.p_vaddr;
        const std::uintptr_t end = begin + segment.p_memsz;
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            layout.code_begin = begin;
            layout.code_end = end;
        } else if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
            layout.data_begin = std::max(layout.data_begin, begin);
            layout.data_end = end;
        } else if (segment.p_type == PT_GNU_RELRO) { // read only by now, in whole pages
            layout.data_begin = std::max(layout.data_begin, end);
        }
    }
    return 1;
}

std::vector<LoadedProgram*> loaded_programs; // those with globals, for the handler of faults

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// Globals that are copied at each turn, if they are written to. It takes as long as a mapping.
constexpr std::size_t kCopiedMax = std::size_t{64} << 10;

/// The whole pages from `begin` to `end`, addresses in `globals`; behind all of them if they are
/// not known.
std::span<std::byte> guard_in(std::span<std::byte> globals, void* begin, void* end) {
    const auto offset = [&globals](void* address) {
        return static_cast<std::size_t>(static_cast<std::byte*>(address) - globals.data());
    };
    if (begin == nullptr || end == nullptr)
        return globals.last(0);
    const std::size_t first = (offset(begin) + page_bytes() - 1) / page_bytes() * page_bytes();
    return globals.subspan(first, offset(end) / page_bytes() * page_bytes() - first);
}

constexpr const char* kEntry = "_Z8app_mainRN4mesh6KernelE"; // app_main(mesh::Kernel&)

std::string words_of_loader() {
    const std::string_view words = dlerror();
    constexpr std::string_view kUndefined = "undefined symbol: ";
    const auto at = words.find(kUndefined);
    if (at == std::string_view::npos)
        return std::string(words);
    const std::string name = demangled(std::string(words.substr(at + kUndefined.size())));
    const auto help = words_of_missing(name);
    return fmt::format("nothing defines {}{}{}", name, help.empty() ? "" : ": ", help);
}

} // namespace

LoadedProgram::LoadedProgram(const std::string& path, unsigned number, std::uint32_t nodes) {
    void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr)
        refuse("the program cannot be loaded: {}", words_of_loader());
    entry_ = reinterpret_cast<Program>(dlsym(object, kEntry));
    if (entry_ == nullptr)
        refuse("the program has no app_main(mesh::Kernel&)");
    link_map* map = nullptr;
    dlinfo(object, RTLD_DI_LINKMAP, &map);
    Layout layout{.base = map->l_addr};
    dl_iterate_phdr(find_layout, &layout);
    const void* const library = dlsym(object, "mesh_library");
    board::add_code(number, layout.base, layout.code_begin,
                    library == nullptr ? layout.code_end
                                       : reinterpret_cast<std::uintptr_t>(library),
                    layout.code_end);
    if (layout.data_begin >= layout.data_end)
        return;
    auto* const known = reinterpret_cast<std::byte*>(map->l_ld);
    const std::uintptr_t begin = layout.data_begin / page_bytes() * page_bytes();
    const std::size_t pages = (layout.data_end - begin + page_bytes() - 1) / page_bytes();
    const std::uint64_t needed_kbyte = pages * page_bytes() * nodes / 1024;
    if (needed_kbyte > available_kbyte())
        throw RunError(fmt::format("the program has {} KiB of globals: for {} nodes that is {} MB, "
                                   "{} MB are available",
                                   pages * page_bytes() / 1024, nodes, needed_kbyte / 1024,
                                   available_kbyte() / 1024));
    const std::span all{known + (begin - reinterpret_cast<std::uintptr_t>(known)),
                        pages * page_bytes()};
    const std::span guard =
        guard_in(all, dlsym(object, "mesh_guard"), dlsym(object, "mesh_guard_end"));
    const auto before = static_cast<std::size_t>(guard.data() - all.data());
    const bool many = !guard.empty() && before > kCopiedMax;
    if (many)
        shelves_ = Shelves(all.first(before), nodes);
    globals_ = many ? all.subspan(before) : all;
    initial_.assign(globals_.begin(), globals_.end());
    kept_.resize(nodes);
    written_.reserve(pages); // a handler of a signal appends to it
    is_written_.resize(pages);
    loaded_programs.push_back(this);
    mprotect(globals_.data(), globals_.size(), PROT_READ);
    const auto page_of_guard =
        (guard.data() - globals_.data()) / static_cast<std::ptrdiff_t>(page_bytes());
    std::fill_n(is_written_.begin() + page_of_guard, guard.size() / page_bytes(), true); // for good
    board::guard(guard, ProgramEnd::beyond_globals);
}

LoadedProgram::~LoadedProgram() {
    if (globals_.empty())
        return;
    mprotect(globals_.data(), globals_.size(), PROT_READ | PROT_WRITE); // the loader writes there
    std::erase(loaded_programs, this);
}

std::span<std::byte> LoadedProgram::page(std::size_t number) const {
    return globals_.subspan(number * page_bytes(), page_bytes());
}

bool LoadedProgram::unlock(std::uintptr_t address) {
    return std::ranges::any_of(loaded_programs, [address](LoadedProgram* program) {
        return program->unlock_page(address);
    });
}

bool LoadedProgram::unlock_page(std::uintptr_t address) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(globals_.data());
    if (offset >= globals_.size())
        return false;
    const std::size_t number = offset / page_bytes();
    if (is_written_[number] ||
        mprotect(page(number).data(), page_bytes(), PROT_READ | PROT_WRITE) != 0)
        return false;
    is_written_[number] = true;
    written_.push_back(number);
    return true;
}

void LoadedProgram::enter(NodeId node) {
    if (node == inside_ || globals_.empty())
        return;
    if (inside_ != kNoNode) {
        std::vector<std::byte>& kept = kept_[index(inside_)];
        kept.resize(written_.size() * page_bytes());
        for (std::size_t at = 0; at < written_.size(); ++at)
            std::memcpy(&kept[at * page_bytes()], page(written_[at]).data(), page_bytes());
    }
    const std::vector<std::byte>& its = kept_[index(node)];
    for (std::size_t at = 0; at < written_.size(); ++at) {
        const bool is_kept = at * page_bytes() < its.size();
        std::memcpy(page(written_[at]).data(),
                    is_kept ? &its[at * page_bytes()] : &initial_[written_[at] * page_bytes()],
                    page_bytes());
    }
    shelves_.show(node);
    inside_ = node;
}

void LoadedProgram::reset(NodeId node) {
    if (globals_.empty())
        return;
    kept_[index(node)].clear();
    shelves_.reset(node);
    if (inside_ == node)
        inside_ = kNoNode;
}

} // namespace mesh::host
