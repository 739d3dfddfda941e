// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Keywords of a command, each with a value: one table has the keywords, the allowed values, and the
// variables that get the values.  The initial values of the variables are the defaults.  Errors and
// printed values come from the same table.

#ifndef TOFU_KEYWORDS_H
#define TOFU_KEYWORDS_H

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

class Keywords {
 public:
  /** An empty table.

      \param command   for messages, e.g. "comm_style p2p/rdma" */
  Keywords(LAMMPS_NS::LAMMPS *lmp, std::string command);

  // ---- the table; variables must live until the end of read()

  /** One of some words.

      \param values   word and meaning */
  template <class Value>
  void choice(const std::string &name, Value &variable,
              const std::vector<std::pair<std::string, Value>> &values)
  {
    std::vector<std::string> words;
    for (const auto &[word, meaning] : values) words.push_back(word);
    add_choice(
        name, words, [&variable, values](int n) { variable = values[n].second; },
        [&variable, values]() {
          for (const auto &[word, meaning] : values)
            if (meaning == variable) return word;
          return std::string();
        });
  }

  void yes_or_no(const std::string &name, bool &variable);    // or on, off
  void integer(const std::string &name, int &variable, int lowest, int highest);
  void real(const std::string &name, double &variable, double lowest, double highest,
            const std::string &unit = "", double unit_in_variable = 1.0);

  /** One of some words, which is the value. */
  void word_of(const std::string &name, std::string &variable,
               const std::vector<std::string> &words);

  /** Any word; `none` stands for an empty one. */
  void word(const std::string &name, std::string &variable, const std::string &none);

  /** A keyword of another kind.

      \param read    gets the arguments behind the keyword, of which there is one at least; returns
                     how many it has taken
      \param write   the present value in words of the command; nullptr: it is not a value */
  using Reader = std::function<int(int narg, char **arg)>;
  using Writer = std::function<std::string()>;
  void other(const std::string &name, Reader read, Writer write = nullptr);

  // ---- its use; error->all() on anything wrong

  /** All arguments, which are keywords with their values. */
  void read(int narg, char **arg) const;

  /** The keyword in front and its value.

      \return   # of arguments taken, 0 if the table does not have the keyword */
  int read_first(int narg, char **arg) const;

  /** All keywords and present values, in the order of the table. */
  std::string text() const;

  /** The error for a value that is not allowed. */
  void reject(const std::string &name, const std::string &value, const std::string &allowed) const;

 private:
  LAMMPS_NS::LAMMPS *lmp;
  const std::string command;

  struct Keyword {
    std::string name;
    Reader read;
    Writer write;
  };
  std::vector<Keyword> table;

  void add_choice(const std::string &name, const std::vector<std::string> &words,
                  const std::function<void(int)> &choose, const Writer &write);
  std::string what(const std::string &name) const;
};

}    // namespace TOFU_NS

#endif
