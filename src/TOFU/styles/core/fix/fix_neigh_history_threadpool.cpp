// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_neigh_history_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "memory.h"
#include "my_page.h"
#include "neigh_list.h"
#include "pair.h"

#include "base/share.h"
#include "pool/thread_pool.h"
#include "threadpool/pool/rank_pool.h"

#include <algorithm>
#include <numeric>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

struct Range {
  int first, last;
  bool has(int i) const { return i >= first && i < last; }
};

Range share_of(int part, int nparts, int n)
{
  return {begin_of_share(part, nparts, n, GRAIN), begin_of_share(part + 1, nparts, n, GRAIN)};
}

}    // namespace

/* ----------------------------------------------------------------------
   a restart file has the name of the style: a run without the suffix can go on with
   the histories, and the other way round
------------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::post_constructor()
{
  FixNeighHistory::post_constructor();
  delete[] style;
  style = utils::strdup("NEIGH_HISTORY");
}

/* ----------------------------------------------------------------------
   for the parts that it has; nullptr if a script has removed it
------------------------------------------------------------------------- */

RankPool *FixNeighHistoryThreadpool::find_pool()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) return nullptr;
  nparts = threadpool->nparts();
  while (static_cast<int>(parts.size()) < nparts) parts.emplace_back();
  return threadpool;
}

/* ----------------------------------------------------------------------
   from the rows to the atoms, before the rows are made anew.  As long as atoms are
   not exchanged there are nlocal_neigh of these; fixes may have added others
------------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::pre_exchange_no_newton()
{
  RankPool *const threadpool = find_pool();
  if (!threadpool) {
    FixNeighHistory::pre_exchange_no_newton();
    return;
  }
  ipage_atom->reset();    // atoms that arrive put their contacts there
  dpage_atom->reset();
  threadpool->pool().run(nparts, [this](int part) { find_contacts(part); });
  threadpool->pool().run(nparts, [this](int part) { keep_contacts(part); });

  maxpartner = 0;
  for (int part = 0; part < nparts; part++) maxpartner = std::max(maxpartner, parts[part].most);
  if (maxpartner > oneatom)    // pages have no room for the contacts of an atom that arrives
    error->one(FLERR,
               "Neighbor history overflow: an atom of rank {} has {} contacts, limit {}; boost "
               "neigh_modify one",
               comm->me, maxpartner, oneatom);
  maxexchange = (dnum + 1) * maxpartner + 1;
  std::fill(npartner + nlocal_neigh, npartner + std::max(nlocal_neigh, atom->nlocal), 0);
}

/* ----------------------------------------------------------------------
   of a share of the rows; a ghost keeps nothing, since its owner has the pair, too
------------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::find_contacts(int p)
{
  Part &part = parts[p];
  part.own.clear();
  part.others.clear();
  const NeighList *const list = pair->list;
  const Range rows = share_of(p, nparts, list->inum), atoms = share_of(p, nparts, nlocal_neigh);
  const auto add = [&](const Contact &contact) {
    (atoms.has(contact.atom) ? part.own : part.others).push_back(contact);
  };
  for (int row = rows.first; row < rows.last; row++) {
    const int i = list->ilist[row], n = list->numneigh[i];
    const int *const flags = firstflag[i];
    for (int k = 0; k < n; k++) {
      if (!flags[k]) continue;
      const int j = list->firstneigh[i][k] & NEIGHMASK;
      const double *const values = firstvalue[i] + static_cast<std::size_t>(dnum) * k;
      add({i, j, values, false});
      if (j < nlocal_neigh) add({j, i, values, true});
    }
  }
}

/* ----------------------------------------------------------------------
   for a share of the atoms, in the order of parts
------------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::keep_contacts(int p)
{
  Part &part = parts[p];
  const Range atoms = share_of(p, nparts, nlocal_neigh);
  const auto for_contacts = [&](const auto &work) {
    for (const Contact &contact : part.own) work(contact);
    for (int from = 0; from < nparts; from++)
      for (const Contact &contact : parts[from].others)
        if (atoms.has(contact.atom)) work(contact);
  };

  std::fill(npartner + atoms.first, npartner + atoms.last, 0);
  for_contacts([this](const Contact &contact) { npartner[contact.atom]++; });
  const std::size_t n =
      std::accumulate(npartner + atoms.first, npartner + atoms.last, static_cast<std::size_t>(0));
  part.ids.resize(n);
  part.values.resize(n * dnum);
  tagint *id = part.ids.data();
  double *values = part.values.data();
  part.most = 0;
  for (int i = atoms.first; i < atoms.last; i++) {
    partner[i] = id;
    valuepartner[i] = values;
    id += npartner[i];
    values += static_cast<std::size_t>(dnum) * npartner[i];
    part.most = std::max(part.most, npartner[i]);
    npartner[i] = 0;
  }
  for_contacts([this](const Contact &contact) { keep(contact); });
}

/* ---------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::keep(const Contact &contact)
{
  const int i = contact.atom, m = npartner[i]++;
  partner[i][m] = atom->tag[contact.other];
  double *const to = valuepartner[i] + static_cast<std::size_t>(dnum) * m;
  if (!contact.is_second) {
    std::copy_n(contact.values, dnum, to);
  } else if (pair->nondefault_history_transfer) {
    const int *const type = atom->type;
    pair->transfer_history(const_cast<double *>(contact.values), to, type[contact.other], type[i]);
  } else {
    for (int n = 0; n < dnum; n++) to[n] = -contact.values[n];
  }
}

/* ----------------------------------------------------------------------
   from the atoms to the rows of a list that has just been made
------------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::post_neighbor()
{
  RankPool *const threadpool = onesided ? nullptr : find_pool();
  if (!threadpool) {
    FixNeighHistory::post_neighbor();
    return;
  }
  nlocal_neigh = atom->nlocal;
  nall_neigh = atom->nlocal + atom->nghost;
  if (maxatom < nlocal_neigh) {
    maxatom = nall_neigh;
    memory->sfree(firstflag);
    memory->sfree(firstvalue);
    firstflag =
        static_cast<int **>(memory->smalloc(maxatom * sizeof(int *), "neighbor_history:firstflag"));
    firstvalue = static_cast<double **>(
        memory->smalloc(maxatom * sizeof(double *), "neighbor_history:firstvalue"));
  }
  threadpool->pool().run(nparts, [this](int part) { fill_rows(part); });
}

/* ---------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::fill_rows(int p)
{
  Part &part = parts[p];
  const NeighList *const list = pair->list;
  const Range rows = share_of(p, nparts, list->inum);
  std::size_t n = 0;
  for (int row = rows.first; row < rows.last; row++) n += list->numneigh[list->ilist[row]];
  part.flags.assign(n, 0);
  part.histories.assign(n * dnum, 0.0);

  int *flags = part.flags.data();
  double *values = part.histories.data();
  for (int row = rows.first; row < rows.last; row++) {
    const int i = list->ilist[row];
    fill_row(i, flags, values);
    flags += list->numneigh[i];
    values += static_cast<std::size_t>(dnum) * list->numneigh[i];
  }
}

/* ----------------------------------------------------------------------
   the list marks pairs that touch by a bit, which others do not know
------------------------------------------------------------------------- */

void FixNeighHistoryThreadpool::fill_row(int i, int *flags, double *values)
{
  firstflag[i] = flags;
  firstvalue[i] = values;
  const NeighList *const list = pair->list;
  int *const row = list->firstneigh[i];
  for (int k = 0; k < list->numneigh[i]; k++) {
    bool may_be_kept = true;
    if (use_bit_flag) {
      may_be_kept = histmask(row[k]) || pair->beyond_contact;
      row[k] &= HISTMASK;
    }
    if (!may_be_kept || npartner[i] == 0) continue;
    const tagint *const first = partner[i], *const last = first + npartner[i];
    const tagint *const found = std::find(first, last, atom->tag[row[k] & NEIGHMASK]);
    if (found == last) continue;
    flags[k] = 1;
    std::copy_n(valuepartner[i] + (found - first) * dnum, dnum,
                values + static_cast<std::size_t>(dnum) * k);
  }
}

/* ---------------------------------------------------------------------- */

double FixNeighHistoryThreadpool::memory_usage()
{
  double bytes = FixNeighHistory::memory_usage();
  for (const Part &part : parts) {
    bytes += static_cast<double>((part.own.capacity() + part.others.capacity()) * sizeof(Contact));
    bytes += static_cast<double>(part.ids.capacity() * sizeof(tagint));
    bytes += static_cast<double>(part.flags.capacity() * sizeof(int));
    bytes +=
        static_cast<double>((part.values.capacity() + part.histories.capacity()) * sizeof(double));
  }
  return bytes;
}
