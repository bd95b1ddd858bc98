// The calls that made types, for a program that asks for them.
#include "mpi/datatypes/type_builder.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

// Behind a recipe lie addresses, then types, then numbers.

MPI_Aint* addresses_of(Recipe& recipe) { return reinterpret_cast<MPI_Aint*>(&recipe + 1); }
MPI_Datatype* types_of(Recipe& recipe) {
    return reinterpret_cast<MPI_Datatype*>(addresses_of(recipe) + recipe.addresses);
}
int* numbers_in(Recipe& recipe) { return reinterpret_cast<int*>(types_of(recipe) + recipe.types); }

void drop(Recipe* recipe) {
    for (const MPI_Datatype type : list(types_of(*recipe), recipe->types))
        release(type_of(type));
    mesh_free(recipe);
}

} // namespace

void keep_recipe(Type& type, const Given& given) {
    const auto count = [](const auto& parts) {
        std::size_t all = 0;
        for (const auto part : parts)
            all += part.size();
        return all;
    };
    const auto put = [](const auto& parts, auto* into) {
        for (const auto part : parts)
            into = std::ranges::copy(part, into).out;
    };
    const std::size_t numbers = count(given.numbers), addresses = count(given.addresses);
    void* const place = mesh_malloc(sizeof(Recipe) + addresses * sizeof(MPI_Aint) +
                                    given.types.size_bytes() + numbers * sizeof(int));
    if (place == nullptr)
        end_run("no memory for a datatype", MPI_ERR_NO_MEM);
    auto* const recipe =
        new (place) Recipe{drop, given.combiner, static_cast<int>(addresses),
                           static_cast<int>(given.types.size()), static_cast<int>(numbers)};
    put(given.addresses, addresses_of(*recipe));
    std::ranges::copy(given.types, types_of(*recipe));
    for (const MPI_Datatype one : given.types)
        hold(type_of(one));
    put(given.numbers, numbers_in(*recipe));
    type.recipe = recipe;
}

namespace {

void type_get_envelope(const Checks&, const Type& type, int* numbers, int* addresses, int* types,
                       int* combiner) {
    const Recipe* const recipe = type.recipe;
    *combiner = recipe == nullptr ? int{MPI_COMBINER_NAMED} : recipe->combiner;
    *numbers = recipe == nullptr ? 0 : recipe->numbers;
    *addresses = recipe == nullptr ? 0 : recipe->addresses;
    *types = recipe == nullptr ? 0 : recipe->types;
}

// The program frees the types that it gets, but those of the standard.
int type_get_contents(Checks& checks, Type& type, int most_numbers, int most_addresses,
                      int most_types, int* numbers, MPI_Aint* addresses, MPI_Datatype* types) {
    if (type.recipe == nullptr)
        return checks.refuse(MPI_ERR_TYPE, "a type of the standard has no contents");
    Recipe& recipe = *type.recipe;
    if (recipe.numbers > most_numbers || recipe.addresses > most_addresses ||
        recipe.types > most_types)
        return checks.refuse(MPI_ERR_ARG, "an array is too small: MPI_Type_get_envelope() says");
    std::copy_n(numbers_in(recipe), recipe.numbers, numbers);
    std::copy_n(addresses_of(recipe), recipe.addresses, addresses);
    std::copy_n(types_of(recipe), recipe.types, types);
    for (const MPI_Datatype one : list(types, recipe.types)) {
        hold(type_of(one));
        give_handle(*type_of(one));
    }
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/contents.inc"
