/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Keywords of a command, each with a value: one table says which there are, what is allowed, and
// where values go.  Defaults are what the variables have.

#ifndef TOFU_KEYWORDS_H
#define TOFU_KEYWORDS_H

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

class Keywords {
 public:
  /** Args:
        command   for messages, e.g. "comm_style p2p_rdma" */
  Keywords(LAMMPS_NS::LAMMPS *lmp, std::string command);

  // ---- the table; variables must live until the end of read()

  /** One of some words.

      Args:
        values   word and meaning */
  template <class Value>
  void choice(const std::string &name, Value &variable,
              const std::vector<std::pair<std::string, Value>> &values)
  {
    std::vector<std::string> words;
    for (const auto &[word, meaning] : values) words.push_back(word);
    add_choice(name, words, [&variable, values](int n) { variable = values[n].second; });
  }

  void yes_or_no(const std::string &name, bool &variable);    // or on, off
  void integer(const std::string &name, int &variable, int lowest, int highest);
  void real(const std::string &name, double &variable, double lowest, double highest,
            const std::string &unit = "", double unit_in_variable = 1.0);

  /** Any word; `none` stands for an empty one. */
  void word(const std::string &name, std::string &variable, const std::string &none);

  /** What is none of these.

      Args:
        read   gets the arguments behind the keyword, of which there is one at least; returns how
               many it has taken */
  using Reader = std::function<int(int narg, char **arg)>;
  void other(const std::string &name, Reader read);

  // ---- its use; error->all() on anything wrong

  /** All arguments, which are keywords with their values. */
  void read(int narg, char **arg) const;

  /** The keyword in front and its value.

      Returns: # of arguments taken, 0 if the table does not have the keyword */
  int read_first(int narg, char **arg) const;

  /** The error for a value that is not allowed. */
  void reject(const std::string &name, const std::string &value, const std::string &allowed) const;

 private:
  LAMMPS_NS::LAMMPS *lmp;
  const std::string command;
  std::map<std::string, Reader> readers;    // by name

  void add_choice(const std::string &name, const std::vector<std::string> &words,
                  const std::function<void(int)> &choose);
  std::string what(const std::string &name) const;
};

}    // namespace TOFU_NS

#endif
