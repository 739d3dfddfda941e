// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// What the command line has asked for, and commands of the input that override it.

#ifndef TOFU_COMMAND_LINE_H
#define TOFU_COMMAND_LINE_H

#include <string>
#include <vector>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

// What users type: a plug-in, and a build for which the input parser could not be changed, have
// commands with a slash, and no switch -pk

/** The switch or command for package threadpool with these words. */
std::string words_for_package(const std::string &words);

/** The switches, or switch and command, for the suffix with so many threads. */
std::string words_for_suffix(int nthreads);

/** The command comm_style p2p/rdma. */
std::string words_for_comm_style();

/** How to have LAMMPS' own comm_style brick in place of a p2p/rdma that the suffix has brought. */
std::string words_for_brick();

/** The value of the environment variable TOFU_COMM, the communication style that LAMMPS begins with
    if it has the suffix threadpool, in words; p2p/rdma if it is not set. */
std::vector<std::string> comm_of_environment();

/** To be called where LAMMPS begins with the suffix threadpool, before the first command of the
    input: choose the communication style. */
void begin_with_default_comm(LAMMPS_NS::LAMMPS *lmp);

/** Whether LAMMPS has begun with the suffix threadpool: the command line has -sf threadpool, or an
    input has had it in force at its last "clear". */
bool begun_with_suffix(LAMMPS_NS::LAMMPS *);

/** The command suffix of the input by which new styles do not get the suffix threadpool at present;
    empty if they do. */
std::string suffix_command(LAMMPS_NS::LAMMPS *);

/** The keywords from "comm" on that a switch -pk tofu or -pk threadpool has, e.g. "p2p/rdma shell
    full"; empty if there are none. */
std::string comm_on_command_line(LAMMPS_NS::LAMMPS *);

/** To be called by a package command: a line for the log if it overrides other words of the command
    line.

    \param name       threadpool, tofu
    \param narg,arg   words behind it */
void log_overridden_package(LAMMPS_NS::LAMMPS *, const std::string &name, int narg, char **arg);

}    // namespace TOFU_NS

#endif
