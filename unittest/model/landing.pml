/* SPDX-License-Identifier: GPL-2.0-only

   Promela model of positions that land in the receiver's array (transport/landing.h, HaloExchange).

   An owner moves the ghosts of a neighbor.  Both ranks make the same calls, chosen freely: forward
   (positions to the ghosts), reverse (forces back) and borders (new ghosts; the array moves).  With its
   message of forces the neighbor offers the places of its ghosts.  The owner's next forward may write
   there, at any later time, in two halves, without another offer.  Between calls the neighbor looks at
   its ghosts any number of times: after a forward always; after a reverse only if there is a LOOKER among
   the fixes and computes of the run.  With a LOOKER it makes no offers.  Messages are numbered (link.cpp):
   the reader waits for a notice that comes late.

   Checked:
     what it sees     ghosts have the positions of the last forward or borders whenever the neighbor looks
     where it goes    no write goes to a place where the array no longer is
     no deadlock      both ranks come to their end (spin's invalid end states)

   Mutations, each of which Spin must find:
     -DMUTANT_USE_TWICE       a forward leaves the offer open for the next
     -DMUTANT_KEEP_OFFER      borders leaves the offer open
     -DMUTANT_OFFER_ANYWAY    the neighbor makes offers although it may look (LOOKER)
     -DMUTANT_EARLY_OFFER     the offer comes with the borders, not with the forces
     -DMUTANT_NO_NOTICE       the reader goes on before the notice of the write

   Parameter by -D: CALLS. */

#ifndef CALLS
#define CALLS 5
#endif
#ifdef LOOKER
#define LOOKS_LATE true
#else
#define LOOKS_LATE false
#endif

#define NONE 0
#define FORWARD 1
#define REVERSE 2
#define BORDERS 3

byte script[CALLS];    /* chosen by the rank that comes first */

byte ghost[2];              /* both halves of the ghosts: # of the call that brought them */
byte place = 0;             /* where the array is */

chan slots = [CALLS] of { byte, bool };       /* owner to neighbor: positions, or the notice of a landed write */
chan forces = [2] of { bool, byte };      /* neighbor to owner: whether it makes an offer, and the place */
chan writes = [2] of { byte, byte };      /* under way to the array: positions, place */

inline choose(k) {
  atomic {
    if
    :: script[k] != NONE
    :: else ->
      if
      :: k > 0 -> script[k] = FORWARD
      :: k > 0 -> script[k] = REVERSE
      :: script[k] = BORDERS        /* ghosts must be made before they are moved */
      fi
    fi
  }
}

active proctype owner() {
  byte k = 0, where = 0;
  bool offered = false;

  do
  :: k == CALLS -> break
  :: else ->
    choose(k);
    if
    :: script[k] == FORWARD ->
      if
      :: offered ->
        writes!(k + 1), where;
#ifndef MUTANT_USE_TWICE
        offered = false
#endif
      :: else -> slots!(k + 1), false
      fi
    :: script[k] == REVERSE -> forces?offered, where
    :: script[k] == BORDERS ->
      slots!(k + 1), false;
#ifndef MUTANT_KEEP_OFFER
      offered = false;
#endif
#ifdef MUTANT_EARLY_OFFER
      forces?offered, where
#endif
    fi;
    k++
  od
}

/* the network: a write lands in two steps, at any time, and then gives notice */

active proctype network() {
  byte positions, where;
end:
  do
  :: writes?positions, where ->
    assert(where == place);
    ghost[0] = positions;
    assert(where == place);
    ghost[1] = positions;
    slots!positions, true
  od
}

inline look(at) {
  do
  :: assert(ghost[0] == at && ghost[1] == at)
  :: break
  od
}

active proctype neighbor() {
  byte k = 0, last = 0, positions;
  bool landed, resting = false;

  do
  :: k == CALLS -> break
  :: else ->
    choose(k);
    if
    :: script[k] == FORWARD ->
#ifdef MUTANT_NO_NOTICE
      if
      :: slots??eval(k + 1), landed
      :: empty(slots) && nempty(writes) -> landed = true
      fi;
      positions = k + 1;
#else
      slots??eval(k + 1), landed;
      positions = k + 1;
#endif
      if
      :: landed
      :: else -> ghost[0] = positions; ghost[1] = positions
      fi;
      last = k + 1;
      resting = false
    :: script[k] == REVERSE ->
#ifdef MUTANT_OFFER_ANYWAY
      forces!true, place;
#else
      forces!(!LOOKS_LATE), place;
#endif
      resting = true
    :: script[k] == BORDERS ->
      slots??eval(k + 1), landed;
      positions = k + 1;
      place = 1 - place;
      ghost[0] = positions;
      ghost[1] = positions;
      last = k + 1;
      resting = false;
#ifdef MUTANT_EARLY_OFFER
      forces!true, place
#endif
    fi;
    if
    :: !resting || LOOKS_LATE -> look(last)
    :: else
    fi;
    k++
  od
}
