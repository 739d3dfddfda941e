# SPDX-License-Identifier: GPL-2.0-only
# Changes in copies of two of LAMMPS' sources, as texts: for the build of the package, and for a look at a source tree.
# What has a hook in this LAMMPS (hooks.cmake) is not changed.

# Put text before (BEFORE) or in place of (REPLACE) the one match of the regular expression in ${variable}; if there is
# none, or more than one, ${problem} says so
function(tofu_patch variable problem what mode regex text)
  string(REGEX MATCHALL "${regex}" found "${${variable}}")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    set(${problem} "${what}" PARENT_SCOPE)
    return()
  endif()
  if(mode STREQUAL "BEFORE")
    string(APPEND text "${found}")
  endif()
  string(REPLACE "${found}" "${text}" patched "${${variable}}")
  set(${variable} "${patched}" PARENT_SCOPE)
endfunction()

# What is not there if the input parser cannot be changed
set(TOFU_SPELLINGS "the spellings comm_style p2p/rdma, package threadpool and package tofu (comm_style/p2p/rdma, \
package/threadpool and package/tofu are there, and no switch -pk)")

# Changes to the input parser: "comm_style X" and "package X" also run a command style of that name, and
# "comm_style brick" and "comm_style tiled" leave p2p_rdma
function(tofu_change_input variable what_failed)
  if("comm-styles" IN_LIST TOFU_HOOKS AND "package-keywords" IN_LIST TOFU_HOOKS)
    return()
  endif()
  set(problem "${${what_failed}}")
  set(code "${${variable}}")
  tofu_patch(code problem "the definition of Input::comm_style()" BEFORE "void Input::comm_style\\(\\)" [[
// TOFU: what makes a command style, from the registry of newer releases or the map of older ones; null if there is none

template <class Parser>
static auto tofu_creator(Parser *, const std::string &name, int)
    -> decltype(Parser::command_styles().find(name))
{
  return Parser::command_styles().find(name);
}

template <class Parser>
static auto tofu_creator(Parser *input, const std::string &name, long)
    -> typename std::decay<decltype(input->command_map->begin()->second)>::type
{
  const auto found = input->command_map->find(name);
  return found == input->command_map->end() ? nullptr : found->second;
}

// TOFU: run the command style <prefix><arg[0]> with the remaining arguments, if there is one

static bool tofu_run_command(LAMMPS *lmp, const std::string &prefix, int narg, char **arg)
{
  const auto creator = tofu_creator(lmp->input, prefix + arg[0], 0);
  if (!creator) return false;
  Command *const command = creator(lmp);
  command->command(narg - 1, arg + 1);
  delete command;
  return true;
}

]])
  if(NOT "comm-styles" IN_LIST TOFU_HOOKS)
    tofu_patch(code problem "the early return of 'comm_style brick'" REPLACE
      "if \\(comm->style == Comm::BRICK\\) return" "if (tofu_run_command(lmp, \"comm_style/\", narg, arg)) return")
    tofu_patch(code problem "the early return of 'comm_style tiled'" REPLACE
      "if \\(comm->style == Comm::TILED\\) return"
      "if (comm->style == Comm::TILED && tofu_run_command(lmp, \"comm_style/\", narg, arg)) return")
    tofu_patch(code problem "the error for an unknown comm_style" BEFORE
      "else error->all\\(FLERR,[^;\"]*\"Unknown comm_style argument"
      "else if (tofu_run_command(lmp, \"comm_style/\", narg, arg)) {\n  } ")
  endif()
  if(NOT "package-keywords" IN_LIST TOFU_HOOKS)
    tofu_patch(code problem "the error for an unknown package" BEFORE
      "else error->all\\(FLERR,[^;\"]*\"Unknown package keyword"
      "else if (tofu_run_command(lmp, \"package/\", narg, arg)) {\n  } ")
  endif()
  set(${variable} "${code}" PARENT_SCOPE)
  set(${what_failed} "${problem}" PARENT_SCOPE)
endfunction()

# "info comm" names the communication style: LAMMPS knows two
function(tofu_change_info variable what_failed)
  if("comm-styles" IN_LIST TOFU_HOOKS)
    return()
  endif()
  set(problem "${${what_failed}}")
  set(code "${${variable}}")
  set(name "(CommP2PRDMA::find(comm) ? \"p2p/rdma\" : commstyles[comm->style])")
  tofu_patch(code problem "first header" BEFORE "#include \"info.h\"" "#include \"p2p/comm_p2p_rdma.h\"\n")
  tofu_patch(code problem "communication style of 'info comm'" REPLACE
    "commstyles\\[comm->style\\], commlayout" "${name}, commlayout")
  tofu_patch(code problem "communication style of is_active()" REPLACE
    "style = commstyles\\[comm->style\\]" "style = ${name}")
  set(${variable} "${code}" PARENT_SCOPE)
  set(${what_failed} "${problem}" PARENT_SCOPE)
endfunction()
