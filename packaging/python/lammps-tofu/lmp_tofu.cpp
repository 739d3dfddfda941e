// SPDX-License-Identifier: GPL-2.0-only
//
// The program of the wheel: LAMMPS' own, which finds the potentials of the wheel, and tells the version of TOFU with -h.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

/** LAMMPS' main(), renamed when the wheel is made. */
int lammps_main(int argc, char **argv);

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

}    // namespace

int main(int argc, char **argv)
{
  const std::string potentials = prefix() + "/share/lammps-tofu/potentials";
  if (access(potentials.c_str(), R_OK) == 0) setenv("LAMMPS_POTENTIALS", potentials.c_str(), 0);
  if (asks_for_help(argc, argv) && !is_another_rank()) {
    std::puts(TOFU_VERSION_LINE);
    std::fflush(stdout);
  }
  return lammps_main(argc, argv);
}
