// SPDX-License-Identifier: GPL-2.0-only
//
// Two LAMMPS objects in one process take turns, and one ends early; then a third object alone runs
// the same turns.  Prints the potential energy of each object after each turn, with all digits.
//
//   two_objects [OPTIONS THAT ARE IGNORED] COMM_STYLE_COMMAND SYSTEM_FILE

#define LAMMPS_LIB_MPI
#include "library.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <mpi.h>
#include <string>

static void *open_object(const std::string &comm_style, const std::string &system)
{
  const char *words[] = {"lmp", "-log", "none", "-screen", "none"};
  void *object = lammps_open(5, const_cast<char **>(words), MPI_COMM_WORLD, nullptr);
  lammps_command(object, comm_style.c_str());
  lammps_commands_string(object, system.c_str());
  return object;
}

static void take_turn(void *object, const char *name, int turn)
{
  lammps_command(object, "run 15");
  const double energy = lammps_get_thermo(object, "pe");
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0) std::printf("%s %d %.17g\n", name, turn, energy);
}

int main(int narg, char **arg)
{
  MPI_Init(&narg, &arg);
  if (narg < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const std::string comm_style = arg[narg - 2];
  std::ifstream file(arg[narg - 1]);
  const std::string system((std::istreambuf_iterator<char>(file)), {});

  void *first = open_object(comm_style, system);
  void *second = open_object(comm_style, system);
  for (int turn = 0; turn < 3; turn++) {
    take_turn(first, "first", turn);
    take_turn(second, "second", turn);
  }
  lammps_close(first);
  for (int turn = 3; turn < 5; turn++) take_turn(second, "second", turn);

  void *alone = open_object(comm_style, system);
  for (int turn = 0; turn < 5; turn++) take_turn(alone, "alone", turn);
  lammps_close(alone);
  lammps_close(second);
  MPI_Finalize();
  return 0;
}
