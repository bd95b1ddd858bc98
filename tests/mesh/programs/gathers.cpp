// A program in C++ over MPI, as courses have it: every rank makes numbers, rank 0 counts them.
#include <algorithm>
#include <iostream>
#include <map>
#include <mpi.h>
#include <numeric>
#include <string>
#include <vector>

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<int> mine(100);
    std::iota(mine.begin(), mine.end(), rank * 100);
    std::vector<int> all(rank == 0 ? mine.size() * size : 0);
    MPI_Gather(mine.data(), 100, MPI_INT, all.data(), 100, MPI_INT, 0, MPI_COMM_WORLD);
    std::map<std::string, int> ends;
    for (const int number : all)
        ++ends["ends in " + std::to_string(number % 10)];
    std::cout << "rank " << rank << " of " << size << ", " << ends.size() << " ends" << std::endl;
    if (rank == 0)
        std::cout << "sum " << std::accumulate(all.begin(), all.end(), 0) << '\n';
    MPI_Finalize();
}
