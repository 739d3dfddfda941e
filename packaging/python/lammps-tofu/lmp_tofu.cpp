// SPDX-License-Identifier: GPL-2.0-only
//
// The program of the wheel: LAMMPS' own, which finds the potentials of the wheel, tells the version
// of TOFU with -h, and names the launcher if MPI cannot start under it.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

/** LAMMPS' main(), renamed when the wheel is made. */
int lammps_main(int argc, char **argv);

/** As in mpi.h of every library with this binary interface. */
extern "C" int MPI_Initialized(int *flag);

namespace {

/** The folder above that of this program; empty if it cannot be found out. */
std::string prefix()
{
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  if (n <= 0 || n == sizeof(path)) return "";
  const std::string program(path, n);
  const std::size_t folder = program.rfind('/');
  const std::size_t above = folder ? program.rfind('/', folder - 1) : std::string::npos;
  return above == std::string::npos ? "" : program.substr(0, above);
}

bool asks_for_help(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (std::strcmp(argv[i], "-h") == 0 || std::strcmp(argv[i], "-help") == 0) return true;
  return false;
}

/** Whether another process of the same mpirun prints the line. */
bool is_another_rank()
{
  const char *rank = std::getenv("PMI_RANK");
  return rank && std::strcmp(rank, "0") != 0;
}

/** Called at the end of the program: MPI of the wheel ends it in MPI_Init() if it does not
    understand the launcher. */
void explain_failed_start()
{
  int started = 0;
  MPI_Initialized(&started);
  if (started) return;
  std::fprintf(
      stderr,
      "lmp-tofu: MPI did not start: this process was started by the mpirun of Open MPI or by srun "
      "--mpi=pmix, and lmp-tofu has another MPI library; use %s/bin/mpirun or srun --mpi=pmi2\n",
      prefix().c_str());
}

bool has_launcher_of_open_mpi()
{
  return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_NAMESPACE");
}

}    // namespace

int main(int argc, char **argv)
{
  const std::string potentials = prefix() + "/share/lammps-tofu/potentials";
  if (access(potentials.c_str(), R_OK) == 0) setenv("LAMMPS_POTENTIALS", potentials.c_str(), 0);
  if (asks_for_help(argc, argv) && !is_another_rank()) {
    std::puts(TOFU_VERSION_LINE);
    std::fflush(stdout);
  }
  if (has_launcher_of_open_mpi()) std::atexit(explain_failed_start);
  return lammps_main(argc, argv);
}
