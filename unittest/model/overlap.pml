/* SPDX-License-Identifier: GPL-2.0-only

   Promela model of the neighbor check whose answer is read after the forces of pairs (NeighborCheck by overlap,
   VerletThreadpool::move_and_compute_pairs()).

   Each rank has one atom, which moves by up to FASTEST units in each step.  Lists are old if that of any rank is more
   than LIMIT units from where it was at the last build.  All ranks start a reduction in each step.  If a build is
   likely, by the answer of the step before, they wait for the answer; else they move ghosts (a message to and from
   the next rank), compute forces, and read the answer then.  If lists are old, atoms change ranks (another message
   to and from the next rank), lists are built, and forces are computed, perhaps once more.

   Checked:
     as LAMMPS       lists are built in each step in which an atom of any rank is beyond the limit, and in no other
     right forces    those at the end of a step are of the lists of that step
     one kind        no rank moves ghosts while the next one lets atoms change ranks
     no deadlock     all ranks come to their end (spin's invalid end states)

   Mutations, each of which Spin must find:
     -DMUTANT_DECIDE_ALONE    a rank waits if a build is likely by its own atom
     -DMUTANT_WHEN_ARRIVED    a rank waits if the answer is not there yet, and takes it if it is
     -DMUTANT_KEEP_FORCES     forces of old lists are kept
     -DMUTANT_READ_LATER      the answer counts for the next step

   Parameters by -D: RANKS, STEPS, LIMIT, FASTEST. */

#ifndef RANKS
#define RANKS 2
#endif
#ifndef STEPS
#define STEPS 6
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef FASTEST
#define FASTEST 2
#endif

mtype = { GHOSTS, ATOMS };
chan to[RANKS] = [2] of { mtype, byte };    /* kind and step, from the rank before */

/* reductions, one a step */

byte given[STEPS + 2];      /* # of ranks whose numbers it has */
byte largest[STEPS + 2];    /* distance of an atom from where it was at the last build */

#define NEXT ((_pid + 1) % RANKS)
#define OLD(step) (largest[step] > LIMIT)

inline swap(kind) {
  to[NEXT] ! kind, n;
  to[_pid] ? got, of_step;
  assert(got == kind && of_step == n)
}

inline compute() { forces_of = nbuilds }

active [RANKS] proctype rank() {
  byte n = 1, d = 0, nbuilds = 0, forces_of = 0, last = 0, of_step;
  bool waits, old;
  mtype got;

  do
  :: n > STEPS -> break
  :: else ->
    atomic {
      if
      :: true
      :: d++
      :: FASTEST > 1 -> d = d + 2
      fi;
      if
      :: d > largest[n] -> largest[n] = d
      :: else
      fi;
      given[n]++
    };
#ifdef MUTANT_DECIDE_ALONE
    waits = d >= LIMIT;
#else
#ifdef MUTANT_WHEN_ARRIVED
    waits = given[n] == RANKS;
#else
    waits = last >= LIMIT;
#endif
#endif
    if
    :: waits ->
      given[n] == RANKS;
      old = OLD(n);
      if
      :: old -> swap(ATOMS); nbuilds++
      :: else -> swap(GHOSTS)
      fi;
      compute()
    :: else ->
      swap(GHOSTS);
      compute();
      given[n] == RANKS;
#ifdef MUTANT_READ_LATER
      old = OLD(n - 1);
#else
      old = OLD(n);
#endif
      if
      :: old ->
        swap(ATOMS);
        nbuilds++;
#ifndef MUTANT_KEEP_FORCES
        compute()
#endif
      :: else
      fi
    fi;
    assert(old == OLD(n));
    assert(forces_of == nbuilds);
    atomic {
      last = (old -> 0 : largest[n]);
      d = (old -> 0 : d);
      n++
    }
  od
}
