// SPDX-License-Identifier: GPL-2.0-only
//
// Counts the collective operations of a program, by the function that calls them: a library that is
// loaded before the program's own (LD_PRELOAD) and calls MPI by its profiling interface.  Each rank
// writes a file into the folder that TOFU_COLLECTIVES names, a line for each operation and caller:
//
//   operation   file of the caller   address in it   calls   bytes   seconds
//
// TOFU_COLLECTIVES_DELAY makes each of them take so many microseconds longer, as on a slow network:
// a rank waits for so long before it takes part, and what it only starts is not over earlier.  With
// TOFU_COLLECTIVES_JITTER the delay is random, from 0 to twice as much, another one on each rank.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <map>
#include <mpi.h>
#include <mutex>
#include <random>
#include <string>
#include <utility>

namespace {

struct Sums {
  long calls = 0;
  double bytes = 0.0, seconds = 0.0;
};

std::mutex mutex;
std::map<std::pair<std::string, const void *>, Sums> sums;

double bytes_of(int count, MPI_Datatype type)
{
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<double>(count) * size;
}

void note(const char *operation, const void *caller, double bytes, double seconds)
{
  const std::lock_guard<std::mutex> lock(mutex);
  Sums &sum = sums[{operation, caller}];
  sum.calls++;
  sum.bytes += bytes;
  sum.seconds += seconds;
}

/** Address as `nm` shows it: libraries and most programs are moved when they are loaded. */
std::uintptr_t address_in_file(const void *address, const Dl_info &info)
{
  const auto *const header = static_cast<const Elf64_Ehdr *>(info.dli_fbase);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return header->e_type == ET_EXEC ? at : at - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

double microseconds_of(const char *name)
{
  const char *const text = std::getenv(name);
  return text ? std::atof(text) : 0.0;
}

/** Seconds that an operation takes longer. */
double delay()
{
  static const double mean = 1e-6 * microseconds_of("TOFU_COLLECTIVES_DELAY");
  static const bool random = std::getenv("TOFU_COLLECTIVES_JITTER") != nullptr;
  if (!random || mean <= 0.0) return mean;
  static std::mt19937 stream = [] {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return std::mt19937(4711 + rank);
  }();
  return std::uniform_real_distribution<double>(0.0, 2.0 * mean)(stream);
}

void wait_until(double time)
{
  while (PMPI_Wtime() < time) {}
}

void wait_before()
{
  const double seconds = delay();
  if (seconds > 0.0) wait_until(PMPI_Wtime() + seconds);
}

std::map<MPI_Request, double> earliest_ends;    // of what has been started

void start_late(MPI_Request request)
{
  const double seconds = delay();
  if (seconds <= 0.0) return;
  const std::lock_guard<std::mutex> lock(mutex);
  earliest_ends[request] = PMPI_Wtime() + seconds;
}

/** 0: any time. */
double earliest_end(MPI_Request request)
{
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = earliest_ends.find(request);
  return found == earliest_ends.end() ? 0.0 : found->second;
}

void forget(MPI_Request request)
{
  const std::lock_guard<std::mutex> lock(mutex);
  earliest_ends.erase(request);
}

void write()
{
  const char *const folder = std::getenv("TOFU_COLLECTIVES");
  if (!folder) return;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string path = std::string(folder) + "/rank." + std::to_string(rank);
  std::FILE *const file = std::fopen(path.c_str(), "w");
  if (!file) {
    std::fprintf(stderr, "count_collectives: rank %d cannot write %s\n", rank, path.c_str());
    return;
  }
  for (const auto &[key, sum] : sums) {
    Dl_info info{};
    if (!dladdr(key.second, &info)) continue;
    std::fprintf(file, "%s\t%s\t%lx\t%ld\t%.0f\t%.9f\n", key.first.c_str(), info.dli_fname,
                 static_cast<unsigned long>(address_in_file(key.second, info)), sum.calls,
                 sum.bytes, sum.seconds);
  }
  std::fclose(file);
}

}    // namespace

#define COUNTED(NAME, PARAMETERS, ARGUMENTS, BYTES)                            \
  extern "C" int NAME PARAMETERS                                               \
  {                                                                            \
    const double start = PMPI_Wtime();                                         \
    wait_before();                                                             \
    const int result = P##NAME ARGUMENTS;                                      \
    note(#NAME + 4, __builtin_return_address(0), BYTES, PMPI_Wtime() - start); \
    return result;                                                             \
  }

COUNTED(MPI_Barrier, (MPI_Comm comm), (comm), 0.0)
COUNTED(MPI_Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm),
        (data, n, type, root, comm), bytes_of(n, type))
COUNTED(MPI_Allreduce,
        (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, n, type, op, comm), bytes_of(n, type))
COUNTED(MPI_Reduce,
        (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (from, to, n, type, op, root, comm), bytes_of(n, type))
COUNTED(MPI_Scan, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, n, type, op, comm), bytes_of(n, type))
COUNTED(MPI_Exscan,
        (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, n, type, op, comm), bytes_of(n, type))
COUNTED(MPI_Allgather,
        (const void *from, int n, MPI_Datatype type, void *to, int nto, MPI_Datatype totype,
         MPI_Comm comm),
        (from, n, type, to, nto, totype, comm), bytes_of(n, type))
COUNTED(MPI_Allgatherv,
        (const void *from, int n, MPI_Datatype type, void *to, const int *nto, const int *at,
         MPI_Datatype totype, MPI_Comm comm),
        (from, n, type, to, nto, at, totype, comm), bytes_of(n, type))
COUNTED(MPI_Gather,
        (const void *from, int n, MPI_Datatype type, void *to, int nto, MPI_Datatype totype,
         int root, MPI_Comm comm),
        (from, n, type, to, nto, totype, root, comm), bytes_of(n, type))
COUNTED(MPI_Gatherv,
        (const void *from, int n, MPI_Datatype type, void *to, const int *nto, const int *at,
         MPI_Datatype totype, int root, MPI_Comm comm),
        (from, n, type, to, nto, at, totype, root, comm), bytes_of(n, type))
COUNTED(MPI_Alltoall,
        (const void *from, int n, MPI_Datatype type, void *to, int nto, MPI_Datatype totype,
         MPI_Comm comm),
        (from, n, type, to, nto, totype, comm), bytes_of(n, type))
COUNTED(MPI_Reduce_scatter,
        (const void *from, void *to, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, n, type, op, comm), bytes_of(n[0], type))

#define STARTED(NAME, PARAMETERS, ARGUMENTS, BYTES)                            \
  extern "C" int NAME PARAMETERS                                               \
  {                                                                            \
    const double start = PMPI_Wtime();                                         \
    const int result = P##NAME ARGUMENTS;                                      \
    start_late(*request);                                                      \
    note(#NAME + 4, __builtin_return_address(0), BYTES, PMPI_Wtime() - start); \
    return result;                                                             \
  }

STARTED(MPI_Iallreduce,
        (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
         MPI_Request *request),
        (from, to, n, type, op, comm, request), bytes_of(n, type))
STARTED(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request), 0.0)

extern "C" int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  const MPI_Request before = *request;
  const double end = earliest_end(before);
  if (end > 0.0) {
    wait_until(end);
    forget(before);
  }
  return PMPI_Wait(request, status);
}

extern "C" int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
  const MPI_Request before = *request;
  const double end = earliest_end(before);
  if (end > PMPI_Wtime()) {
    const int result = PMPI_Request_get_status(before, done, status);    // MPI goes on with it
    *done = 0;
    return result;
  }
  const int result = PMPI_Test(request, done, status);
  if (end > 0.0 && *done) forget(before);
  return result;
}

extern "C" int MPI_Finalize()
{
  write();
  return PMPI_Finalize();
}
