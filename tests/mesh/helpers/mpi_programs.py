"""C programs over MPI that a test writes, and what their ranks say."""
from mesh_tool import console


def said_by(outcome, rank):
    assert outcome.status == 0, outcome
    return console(outcome).get(rank, [])


def written(folder, text):
    file = folder / "some.c"
    file.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n" + text)
    return file


def program_of(calls):
    return f"""
int main(int argc, char **argv) {{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    {calls}
    MPI_Finalize();
    return value;
}}
"""
