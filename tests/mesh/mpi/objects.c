/* What a program hangs on the objects of MPI: attributes, names, error handlers, codes, info. */
#include "check.h"

static int copies, drops, told, last, refuses = 1;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag) {
    (void)comm, (void)key;
    ++copies;
    *(void **)copied = (char *)value + *(int *)extra;
    *flag = value != (void *)0; /* a null pointer is not copied */
    return MPI_SUCCESS;
}

/* Refuses at rank 0 alone. */
static int refuse(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag) {
    (void)comm, (void)key, (void)extra, (void)value, (void)copied;
    *flag = 0;
    return rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)extra;
    ++drops;
    last = (int)(MPI_Aint)value;
    return last == 13 && refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int drop_of_type(MPI_Datatype type, int key, void *value, void *extra) {
    (void)type, (void)key, (void)value;
    ++*(int *)extra;
    return MPI_SUCCESS;
}

static void handler(MPI_Comm *comm, int *code, ...) {
    CHECK(*comm == MPI_COMM_SELF);
    told = *code;
}

static void attributes(void) {
    int key, other, plain, step = 2, flag = 7, types_dropped = 0, *standard;
    void *value = NULL;
    MPI_Comm one, two;
    MPI_Datatype pair, twin;
    MPI_Request request;
    MPI_Comm_create_keyval(copy, drop, &key, &step);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &plain, NULL);
    CHECK(key != other && other != plain && key != MPI_KEYVAL_INVALID);
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_get_attr(one, key, &value, &flag);
    CHECK(!flag);
    MPI_Comm_set_attr(one, key, (void *)4);
    MPI_Comm_set_attr(one, other, &step);
    MPI_Comm_set_attr(one, plain, (void *)9);
    MPI_Comm_set_attr(one, key, (void *)6);
    CHECK(drops == 1 && last == 4);
    MPI_Comm_dup(one, &two);
    MPI_Comm_get_attr(two, key, &value, &flag);
    CHECK(flag && value == (void *)8 && copies == 1);
    MPI_Comm_get_attr(two, other, &value, &flag);
    CHECK(flag && value == &step);
    MPI_Comm_get_attr(two, plain, &value, &flag);
    CHECK(!flag);
    MPI_Comm_free_keyval(&plain);
    CHECK(plain == MPI_KEYVAL_INVALID);
    MPI_Comm_free(&one);
    CHECK(drops == 3 && last == 6 && one == MPI_COMM_NULL);
    MPI_Comm_delete_attr(two, key);
    CHECK(drops == 4 && last == 8);
    MPI_Comm_set_attr(two, key, (void *)13);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(two, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Comm_delete_attr(two, 4711)) == MPI_ERR_KEYVAL);
    CHECK(class_of(MPI_Comm_free(&two)) == MPI_ERR_OTHER && two != MPI_COMM_NULL);
    CHECK(class_of(MPI_Comm_set_attr(two, key, NULL)) == MPI_ERR_OTHER);
    refuses = 0;
    MPI_Comm_free(&two);
    CHECK(two == MPI_COMM_NULL);
    /* A rank whose function refuses does not hold up the others. */
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
    MPI_Comm_set_attr(one, plain, &step);
    flag = class_of(MPI_Comm_idup(one, &two, &request));
    CHECK(flag == (rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(two);
    MPI_Comm_free(&two);
    MPI_Comm_free(&one);
    MPI_Comm_free_keyval(&plain);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &standard, &flag);
    CHECK(flag && *standard >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &standard, &flag);
    CHECK(flag && *standard == size);

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, drop_of_type, &key, &types_dropped);
    MPI_Type_set_attr(pair, key, &step);
    MPI_Type_dup(pair, &twin);
    MPI_Type_free(&pair);
    MPI_Type_get_attr(twin, key, &value, &flag);
    CHECK(flag && value == &step && types_dropped == 1);
    MPI_Type_free(&twin);
    CHECK(types_dropped == 2);
}

/* A key that was freed is good for what looks for it as long as an attribute has it. */
static void freed_keys(void) {
    int key, its, flag, before = drops;
    void *value;
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &key, NULL);
    its = key;
    MPI_Comm_set_attr(one, key, (void *)5);
    MPI_Comm_free_keyval(&key);
    key = its;
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Comm_get_attr(one, its, &value, &flag);
    CHECK(flag && value == (void *)5);
    CHECK(class_of(MPI_Comm_set_attr(one, its, NULL)) == MPI_ERR_KEYVAL && drops == before);
    CHECK(MPI_Comm_delete_attr(one, its) == MPI_SUCCESS && drops == before + 1);
    CHECK(class_of(MPI_Comm_get_attr(one, its, &value, &flag)) == MPI_ERR_KEYVAL);
    MPI_Comm_free(&one);
}

static int refuse_of_type(MPI_Datatype type, int key, void *extra, void *value, void *copied,
                          int *flag) {
    (void)type, (void)key, (void)extra, (void)value, (void)copied;
    *flag = 0;
    return MPI_ERR_OTHER;
}

/* There is no copy of a type of which an attribute is not copied. */
static void refused_copy(void) {
    MPI_Datatype pair, twin = MPI_INT;
    int key;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_keyval(refuse_of_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_set_attr(pair, key, NULL);
    CHECK(class_of(MPI_Type_dup(pair, &twin)) == MPI_ERR_OTHER && twin == MPI_DATATYPE_NULL);
    MPI_Type_free(&pair);
    MPI_Type_free_keyval(&key);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void names(void) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Datatype pair;
    MPI_Type_get_name(MPI_DOUBLE_INT, name, &length);
    CHECK(strcmp(name, "MPI_DOUBLE_INT") == 0 && length == 14);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_get_name(pair, name, &length);
    CHECK(length == 0 && name[0] == '\0');
    MPI_Type_set_name(pair, "a pair");
    MPI_Type_get_name(pair, name, &length);
    CHECK(strcmp(name, "a pair") == 0 && length == 6);
    MPI_Type_free(&pair);
}

static void errors(void) {
    MPI_Errhandler mine, got;
    int class, code, found, length, *most, flag;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "the tank is empty");
    MPI_Error_class(code, &found);
    CHECK(class > MPI_ERR_LASTCODE && code > class && found == class);
    MPI_Error_class(MPI_ERR_RANK, &found);
    CHECK(found == MPI_ERR_RANK);
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "the tank is empty") == 0 && length == 17);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &most, &flag);
    CHECK(flag && *most == code);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, mine);
    MPI_Errhandler_free(&mine);
    CHECK(mine == MPI_ERRHANDLER_NULL);
    MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
    CHECK(told == code);
    CHECK(class_of(MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_SELF)) == MPI_ERR_RANK);
    CHECK(class_of(told) == MPI_ERR_RANK);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &got);
    CHECK(got != MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&got);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void info(void) {
    MPI_Info one, two;
    char text[MPI_MAX_INFO_VAL];
    int flag, count, length;
    MPI_Info_create(&one);
    MPI_Info_set(one, "first", "1");
    MPI_Info_set(one, "second", "zwei");
    MPI_Info_set(one, "first", "eins");
    MPI_Info_dup(one, &two);
    MPI_Info_delete(one, "first");
    MPI_Info_get_nkeys(one, &count);
    CHECK(count == 1);
    MPI_Info_get_nkeys(two, &count);
    CHECK(count == 2);
    MPI_Info_get_nthkey(two, 1, text);
    CHECK(strcmp(text, "second") == 0);
    MPI_Info_get(two, "first", 3, text, &flag);
    CHECK(flag && strcmp(text, "ein") == 0);
    MPI_Info_get_valuelen(two, "first", &length, &flag);
    CHECK(flag && length == 4);
    length = 3;
    MPI_Info_get_string(two, "second", &length, text, &flag);
    CHECK(flag && length == 5 && strcmp(text, "zw") == 0);
    MPI_Info_get(one, "first", 10, text, &flag);
    CHECK(!flag);
    MPI_Info_free(&one);
    MPI_Info_free(&two);
    CHECK(two == MPI_INFO_NULL);
}

/* An info takes what its words take. */
static void many_infos(void) {
    enum { kInfos = 3000, kKeys = 16 };
    MPI_Info *infos = malloc(kInfos * sizeof *infos);
    char key[16];
    int count;
    for (int i = 0; i < kInfos; ++i) {
        MPI_Info_create(&infos[i]);
        for (int k = 0; k < kKeys; ++k) {
            sprintf(key, "%d %d", i, k);
            MPI_Info_set(infos[i], key, key);
        }
    }
    for (int i = 0; i < kInfos; ++i) {
        MPI_Info_get_nkeys(infos[i], &count);
        CHECK(count == kKeys);
        MPI_Info_free(&infos[i]);
    }
    free(infos);
}

static void former(void) {
    struct {
        char letter;
        double number;
    } thing;
    MPI_Aint places[2], extent, lower, upper;
    MPI_Datatype type;
    MPI_Address(&thing.letter, &places[0]);
    MPI_Address(&thing.number, &places[1]);
    places[1] -= places[0];
    places[0] = 0;
    MPI_Type_struct(2, (int[]){1, 1}, places, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &type);
    MPI_Type_extent(type, &extent);
    MPI_Type_lb(type, &lower);
    MPI_Type_ub(type, &upper);
    CHECK(extent == sizeof thing && lower == 0 && upper == extent);
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    former();
    attributes();
    freed_keys();
    refused_copy();
    names();
    errors();
    info();
    if (rank == 0)
        many_infos();
    return end();
}
