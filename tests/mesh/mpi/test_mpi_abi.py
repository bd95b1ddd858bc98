"""The names and numbers of MPI: those of its page, and of the ABI that the Forum has published."""
import re

from mesh_tool import BUILD, ROOT, mesh
from mpi_programs import said_by, written


def test_the_page_says_of_each_call_whether_it_is_there():
    declared = re.findall(r"^(?:int|double|MPI_Aint) (P?MPIX?_\w+)\(",
                          (BUILD / "calls" / "mpi_calls.h").read_text(), re.M) + ["MPI_Pcontrol"]
    rows = re.findall(r"^\| ((?:`MPIX?_\w+` ?)+) \| (yes|part: )",
                      (ROOT / "firmware" / "mpi" / "README.md").read_text(), re.M)
    told = [name for names, _ in rows for name in re.findall(r"MPIX?_\w+", names)]
    calls = [name for name in declared if name.startswith("MPI")]
    assert len(told) == len(set(told)) and sorted(told) == sorted(
        name for name in calls if not name.endswith("_c")), set(told) ^ set(calls)
    assert {f"P{name}" for name in calls} - set(declared) == {"PMPI_Pcontrol"}


# Numbers of the ABI, as the Forum has published them (MPI 5.0, chapter 20 and appendix A).
PUBLISHED = {
    "OP_NULL": 0x20, "SUM": 0x21, "MIN": 0x22, "MAX": 0x23, "PROD": 0x24, "BAND": 0x28, "BOR": 0x29,
    "BXOR": 0x2A, "LAND": 0x30, "LOR": 0x31, "LXOR": 0x32, "MINLOC": 0x38, "MAXLOC": 0x39,
    "COMM_NULL": 0x100, "COMM_WORLD": 0x101, "COMM_SELF": 0x102, "GROUP_NULL": 0x108,
    "GROUP_EMPTY": 0x109, "INFO_NULL": 0x130, "ERRHANDLER_NULL": 0x140, "ERRORS_ARE_FATAL": 0x141,
    "ERRORS_RETURN": 0x142, "REQUEST_NULL": 0x180, "DATATYPE_NULL": 0x200, "AINT": 0x201,
    "COUNT": 0x202, "OFFSET": 0x203, "PACKED": 0x207, "SHORT": 0x208, "INT": 0x209, "LONG": 0x20A,
    "LONG_LONG": 0x20B, "UNSIGNED_SHORT": 0x20C, "UNSIGNED": 0x20D, "UNSIGNED_LONG": 0x20E,
    "UNSIGNED_LONG_LONG": 0x20F, "FLOAT": 0x210, "C_FLOAT_COMPLEX": 0x212, "DOUBLE": 0x214,
    "C_DOUBLE_COMPLEX": 0x216, "LONG_DOUBLE": 0x220, "FLOAT_INT": 0x228, "DOUBLE_INT": 0x229,
    "LONG_INT": 0x22A, "2INT": 0x22B, "SHORT_INT": 0x22C, "LONG_DOUBLE_INT": 0x22D, "C_BOOL": 0x238,
    "WCHAR": 0x23C, "INT8_T": 0x240, "UINT8_T": 0x241, "CHAR": 0x243, "SIGNED_CHAR": 0x244,
    "UNSIGNED_CHAR": 0x245, "BYTE": 0x247, "INT16_T": 0x248, "UINT16_T": 0x249, "INT32_T": 0x250,
    "UINT32_T": 0x251, "INT64_T": 0x258, "UINT64_T": 0x259,
    "ANY_SOURCE": -1, "ANY_TAG": -2, "PROC_NULL": -3, "ROOT": -4, "UNDEFINED": -32766,
    "THREAD_SINGLE": 0, "THREAD_FUNNELED": 1024, "THREAD_SERIALIZED": 2048, "THREAD_MULTIPLE": 4096,
    "MESSAGE_NULL": 0x128, "MESSAGE_NO_PROC": 0x129, "WIN_NULL": 0x110, "DISTRIBUTE_BLOCK": 17,
    "DISTRIBUTE_CYCLIC": 18, "DISTRIBUTE_NONE": 16, "DISTRIBUTE_DFLT_DARG": 19,
    "COMBINER_NAMED": 101, "COMBINER_STRUCT": 110, "COMBINER_RESIZED": 116, "TYPECLASS_REAL": 193,
    "LOCK_EXCLUSIVE": 301, "LOCK_SHARED": 302, "WIN_BASE": 601, "WIN_SIZE": 603,
    "MODE_NOSUCCEED": 16384, "WIN_FLAVOR_CREATE": 311, "WIN_UNIFIED": 321, "ERR_WIN": 56,
    "ERR_RMA_SYNC": 50, "ERR_RMA_RANGE": 48, "ERR_LOCKTYPE": 37,
    "ORDER_C": 12, "ORDER_FORTRAN": 15, "IDENT": 201, "CONGRUENT": 202, "SIMILAR": 203,
    "UNEQUAL": 204, "CART": 211, "TAG_UB": 501, "WTIME_IS_GLOBAL": 504, "SUCCESS": 0,
    "ERR_BUFFER": 1, "ERR_COUNT": 2, "ERR_TYPE": 3, "ERR_TAG": 4, "ERR_COMM": 5, "ERR_RANK": 6,
    "ERR_REQUEST": 7, "ERR_ROOT": 8, "ERR_GROUP": 9, "ERR_OP": 10, "ERR_TOPOLOGY": 11,
    "ERR_DIMS": 12, "ERR_ARG": 13, "ERR_TRUNCATE": 15, "ERR_OTHER": 16, "ERR_IN_STATUS": 19,
    "ERR_INFO_KEY": 31, "ERR_INFO_NOKEY": 32, "ERR_INFO_VALUE": 33, "ERR_INFO": 34,
    "ERR_KEYVAL": 36, "MAX_INFO_KEY": 256, "MAX_INFO_VAL": 1024, "COMM_NULL_COPY_FN": 0,
    "COMM_DUP_FN": 1, "ERR_NO_MEM": 39, "MAX_PROCESSOR_NAME": 256, "MAX_ERROR_STRING": 512,
    "BSEND_OVERHEAD": 512, "IN_PLACE": 1, "BOTTOM": 0,
}
LAYOUT = """
#include <stddef.h>
_Static_assert(sizeof(MPI_Status) == 8 * sizeof(int), "");
_Static_assert(offsetof(MPI_Status, MPI_SOURCE) == 0, "");
_Static_assert(offsetof(MPI_Status, MPI_TAG) == sizeof(int), "");
_Static_assert(offsetof(MPI_Status, MPI_ERROR) == 2 * sizeof(int), "");
_Static_assert(sizeof(MPI_Aint) == sizeof(void *) && (MPI_Aint)-1 < 0, "");
_Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8, "");
_Static_assert(sizeof(MPI_Comm) == sizeof(void *), "");
"""


def test_numbers_and_layouts_are_those_of_the_published_abi(tmp_path):
    claims = [f"MPI_{name}, {value}" for name, value in PUBLISHED.items()]
    text = LAYOUT + "int main(void) {\n" + "".join(
        f'if ((MPI_Aint){claim.split(",")[0]} != {claim.split(",")[1]}) return {line + 1};\n'
        for line, claim in enumerate(claims)) + 'printf("all\\n"); return 0; }\n'
    for engine in ("sim", "qemu"):
        outcome = mesh("run", "--engine", engine, "--dim", 1, "--app", written(tmp_path, text))
        assert said_by(outcome, 0) == ["all"], outcome
