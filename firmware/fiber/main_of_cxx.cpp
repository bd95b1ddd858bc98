// main() of a program with files in C++: its objects are constructed before it begins, and on each
// node for itself, since they may take memory of the heap. `mesh build` calls main() of such a
// program mesh_cxx_main(), and puts its constructors into a section of their own.
#include <algorithm>

using Constructor = void (*)();
extern "C" int mesh_cxx_main(int count, char** words, char** environment);
// Names of the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::weak]] const Constructor __start_mesh_init_array[];
extern "C" [[gnu::weak]] const Constructor __stop_mesh_init_array[];
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

extern "C" int mesh_main(int count, char** words, char** environment) {
    std::for_each(__start_mesh_init_array, __stop_mesh_init_array,
                  [](Constructor construct) { construct(); });
    return mesh_cxx_main(count, words, environment);
}
