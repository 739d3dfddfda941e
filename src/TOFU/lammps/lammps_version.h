// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Every difference between the LAMMPS releases that TOFU supports, 4Feb2025 and newer.

#ifndef TOFU_LAMMPS_VERSION_H
#define TOFU_LAMMPS_VERSION_H

#include "comm.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace TOFU_NS {

/** comm_modify mode multi/old (per-type cut-offs) exists up to 2025; this is true if the given
    class, LAMMPS_NS::Comm, still has it. */
template <class CommClass, class = void> struct has_multi_old : std::false_type {
};
template <class CommClass>
struct has_multi_old<CommClass, std::void_t<decltype(CommClass::MULTIOLD)>> : std::true_type {
};

template <class CommClass> constexpr bool is_multi_old(const CommClass &comm)
{
  if constexpr (has_multi_old<CommClass>::value)
    return comm.mode == CommClass::MULTIOLD;
  else
    return false;
}

/** \param to,from   communication styles, of class Comm or derived from it
    \param ntypes   # of atom types */
template <class ToClass, class FromClass>
void copy_multi_old_cutoffs(ToClass &to, const FromClass &from, int ntypes)
{
  if constexpr (has_multi_old<FromClass>::value)
    if (from.cutusermultiold) std::copy_n(from.cutusermultiold, ntypes + 1, to.cutusermultiold);
}

/** Ghost cut-offs of comm_modify: Comm::copy_arrays() copies as many bytes as there are cut-offs,
    not as many doubles. */
template <class Style> void copy_ghost_cutoffs(Style &to, const Style &from, int ntypes)
{
  if (from.cutusermulti) std::copy_n(from.cutusermulti, from.ncollections_cutoff, to.cutusermulti);
  copy_multi_old_cutoffs(to, from, ntypes);
}

/** Bases of a class that its constructor constructs beside its parent. */
template <class...> struct BasesToConstruct {
};

template <class Common, class Style, class = void> struct VirtualBasesOf {
  using Type = BasesToConstruct<Common>;
};
template <class Common, class Style>
struct VirtualBasesOf<Common, Style,
                      std::void_t<decltype(static_cast<Style *>(std::declval<Common *>()))>> {
  using Type = BasesToConstruct<>;
};

/** Of a class derived from Style, which derives from Common: up to 2025 virtually, so that the last
    class of all has to construct it, too. */
template <class Common, class Style>
using VirtualBases = typename VirtualBasesOf<Common, Style>::Type;

/** A pair style that computes as Compute does and reads the files that Reader reads; both derive
    from Common.  Up to 2025 they do so virtually, and both can be parents; later Common reads all
    kinds of files, and fileformat tells it which. */
template <class Reader, class Common, class Compute, class = void>
class ReadsFiles : public Reader, public Compute {
 public:
  template <class Lammps> ReadsFiles(Lammps *lmp) : Common(lmp), Reader(lmp), Compute(lmp) {}
};

template <class Reader, class Common, class Compute>
class ReadsFiles<Reader, Common, Compute,
                 std::void_t<decltype(static_cast<Reader *>(std::declval<Common *>()))>> :
    public Compute {
 public:
  template <class Lammps> ReadsFiles(Lammps *lmp) : Common(lmp), Compute(lmp)
  {
    Reader reader(lmp);
    this->fileformat = reader.*(&Members::fileformat);
    this->one_coeff = reader.one_coeff;
    this->manybody_flag = reader.manybody_flag;
  }

 private:
  struct Members : Reader {
    using Reader::fileformat;
  };
};

/** Granular models whose history follows the full steps of the integrator exist from 2025 on; this
    is true if the given one, LAMMPS_NS::Granular_NS::GranularModel, is such a model. */
template <class Model, class = void> struct has_synchronized_verlet : std::false_type {
};
template <class Model>
struct has_synchronized_verlet<Model,
                               std::void_t<decltype(std::declval<Model>().synchronized_verlet)>> :
    std::true_type {
};

template <class Model> constexpr bool is_synchronized(const Model &model)
{
  if constexpr (has_synchronized_verlet<Model>::value)
    return model.synchronized_verlet != 0;
  else
    return false;
}

/** A member that a later release no longer has: fix langevin's gjfflag, fix wall/gran's cylradius.

    \param otherwise   value where the class lacks it
    \param get         generic lambda of a member function of the object's class, with the type of
                       its result behind an arrow: [](auto &self) -> decltype(self.member) */
template <class Value, class Object, class Get>
constexpr Value member_or(Value otherwise, const Object &object, const Get &get)
{
  if constexpr (std::is_invocable_v<const Get &, const Object &>)
    return get(object);
  else
    return otherwise;
}

}    // namespace TOFU_NS

#endif
