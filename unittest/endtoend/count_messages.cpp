// SPDX-License-Identifier: GPL-2.0-only
//
// Counts the messages that a program sends by MPI, and their bytes, in phases that the variable
// TOFU_PHASE of the environment names, which an input of LAMMPS changes by "shell putenv": a
// library that is loaded before MPI's.  Each rank writes a file into the folder TOFU_MESSAGES, a
// line for each phase: phase, messages, bytes.  Single numbers of 64 bits are left out: they are
// credits.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mpi.h>
#include <mutex>
#include <string>

namespace {

struct Sums {
  long messages = 0, bytes = 0;
};

std::mutex mutex;
std::map<std::string, Sums> sums;

void note(int count, MPI_Datatype type)
{
  if (type == MPI_UINT64_T) return;
  const char *const phase = std::getenv("TOFU_PHASE");
  int size = 0;
  PMPI_Type_size(type, &size);
  const std::lock_guard<std::mutex> lock(mutex);
  Sums &sum = sums[phase ? phase : ""];
  sum.messages++;
  sum.bytes += static_cast<long>(count) * size;
}

}    // namespace

extern "C" {

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  note(count, type);
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  note(count, type);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Finalize()
{
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string path = std::string(std::getenv("TOFU_MESSAGES")) + "/" + std::to_string(rank);
  if (FILE *const file = std::fopen(path.c_str(), "w")) {
    for (const auto &[phase, sum] : sums)
      std::fprintf(file, "%s %ld %ld\n", phase.empty() ? "none" : phase.c_str(), sum.messages,
                   sum.bytes);
    std::fclose(file);
  }
  return PMPI_Finalize();
}
}
