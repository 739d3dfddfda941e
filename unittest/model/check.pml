/* SPDX-License-Identifier: GPL-2.0-only

   Promela model of the neighbor check (base/check_horizon.h, NeighborCheck): ranks that ask each other whether
   lists must be built, in few steps, and read the answer at once (AHEAD 0) or AHEAD steps later.

   Each rank has one atom, which moves by one unit or none in each step and may be LIMIT units from where it
   was at the last build.  Thus it cannot pass the limit in the next LIMIT - d steps: this is what a rank tells.
   Ranks make steps at their own speed; only reductions hold them back.  Lists may be built in steps whose
   number since the last build is a multiple of EVERY.  With FORCED a fix may ask for a build in any step.  With
   KICK one atom, once, moves beyond the limit against all predictions.

   Checked:
     in time          lists are built no later than in the first step, of those allowed, in which an atom of any
                      rank is beyond the limit; a kicked atom is excepted until the next build
     together         all ranks build in the same steps, and each reduction belongs to one step
     one question     none is started before the answer to the last one has been read or dropped
     told             all ranks have counted a kick that was noticed too late, once
     no deadlock      all ranks come to their end (spin's invalid end states)

   Mutations, each of which Spin must find:
     -DMUTANT_OWN_NUMBER          a rank plans by its own number, not by the smallest
     -DMUTANT_ASK_TOO_LATE        the next answer comes a step after it is needed
     -DMUTANT_WHEN_ARRIVED        an answer is read when it is there, not in a step that is fixed
     -DMUTANT_COUNT_FROM_ANSWER   safe steps are counted from the answer, not from the question
     -DMUTANT_NO_BUILD_AHEAD      a question is started although its answer would come too late
     -DMUTANT_KEEP_QUESTION       a question is left open when lists are built for a fix
     -DMUTANT_FORGET_PASSED       with an answer a rank forgets what its question did not tell
     -DMUTANT_TELL_TWICE          it keeps what its question told

   Parameters by -D: RANKS, STEPS, LIMIT, AHEAD, EVERY. */

#ifndef RANKS
#define RANKS 2
#endif
#ifndef STEPS
#define STEPS 9
#endif
#ifndef LIMIT
#define LIMIT 3
#endif
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef EVERY
#define EVERY 1
#endif
#ifdef KICK
#define MAY_KICK true
#else
#define MAY_KICK false
#endif

#define NOREDUCTIONS (2 * STEPS + 2)    /* at most */
#define ASK 0
#define READ 1
#define BUILD 2
#define UNKNOWN 0
#define NO 1
#define YES 2

/* reductions, in their order */

byte given[NOREDUCTIONS];     /* # of ranks whose numbers it has */
byte began[NOREDUCTIONS];     /* step */
byte least[NOREDUCTIONS];     /* steps for which no atom can pass the limit */
bool passed[NOREDUCTIONS];    /* an atom has */
bool late[NOREDUCTIONS];      /* unseen, in an earlier step */

byte forced[STEPS + 1], built[STEPS + 1];    /* chosen, and told, by the rank that comes first */
bool kicked = false;
byte nmissed = 0;    /* times that lists were used too long */

#define FREE (d > LIMIT -> 0 : LIMIT - d)
#define FIRST_ALLOWED(step, last) \
  ((last) + ((((step) > (last) + 1 -> (step) - (last) : 1) + EVERY - 1) / EVERY) * EVERY)

inline give(tells_late) {
  d_step {
    assert(given[q] == 0 || began[q] == n);
    began[q] = n;
    if
    :: given[q] == 0 || FREE < least[q] -> least[q] = FREE
    :: else
    fi;
    passed[q] = passed[q] || passed_at > 0 || d > LIMIT;
    late[q] = late[q] || (tells_late);
    own = FREE;
    given[q]++;
    q++
  }
}

inline drop() {
  if
  :: open -> given[q - 1] == RANKS; open = false
  :: else
  fi
}

/* no atom can pass the limit for `safe` steps; a question can be started in the next step at the earliest */

inline go_on(safe, last) {
  needed = FIRST_ALLOWED(n + (safe) + 1, last);
  if
  :: AHEAD > 0 && needed > n + AHEAD -> kind = READ; next = needed
  :: else -> kind = ASK; next = n + (safe) + 1
  fi
}

#ifdef MUTANT_OWN_NUMBER
#define SMALLEST own
#else
#define SMALLEST least[q - 1]
#endif
#ifdef MUTANT_ASK_TOO_LATE
#define TOO_LATE 1
#else
#define TOO_LATE 0
#endif

inline ask() {
#ifndef MUTANT_KEEP_QUESTION
  drop();
#endif
  give(late_before || passed_at > 0);
  given[q - 1] == RANKS;
  d_step {
    build = passed[q - 1];
    nlate = nlate + late[q - 1];
    passed_at = 0;
    late_before = false;
    if
    :: late[q - 1] -> kind = ASK; next = n + 1
    :: else ->
      if
      :: build -> go_on(LIMIT + TOO_LATE, n)
      :: else -> go_on(SMALLEST + TOO_LATE, n - ago)
      fi
    fi;
    foreseen = build
  }
}

inline read_answer() {
  given[q - 1] == RANKS;
  d_step {
    open = false;
#ifdef MUTANT_COUNT_FROM_ANSWER
    safe = n + SMALLEST;
#else
    safe = n - AHEAD + SMALLEST;
#endif
    if
    :: passed[q - 1] -> safe = n - AHEAD
    :: else
    fi;
#ifndef MUTANT_TELL_TWICE
#ifndef MUTANT_FORGET_PASSED
    if
    :: tells_passed -> passed_at = 0
    :: else
    fi;
#else
    passed_at = 0;
#endif
#endif
    tells_passed = false;
    late_before = false;
    nlate = nlate + late[q - 1];
    build = safe < n;
    needed = FIRST_ALLOWED(safe + 1 + TOO_LATE, n - ago);
    if
    :: late[q - 1] -> kind = ASK; next = n + 1
    :: !late[q - 1] && build -> go_on(LIMIT + TOO_LATE, n)
    :: !late[q - 1] && !build && needed < n + AHEAD ->
#ifdef MUTANT_NO_BUILD_AHEAD
      kind = READ;
      next = n + AHEAD
#else
      kind = BUILD;
      next = needed
#endif
    :: else -> kind = READ; next = needed
    fi;
    foreseen = build
  }
}

#ifdef MUTANT_WHEN_ARRIVED
#define READS (kind == READ && open && n > began[q - 1] && given[q - 1] == RANKS)
#else
#define READS (kind == READ && n >= next)
#endif

active [RANKS] proctype rank() {
  byte n = 1, d = 0, ago = 0, q = 0;
  byte kind = ASK, next = 1;
  byte passed_at = 0;      /* step in which the atom was beyond the limit unseen; 0 none */
  bool late_before = false, tells_passed = false, open = false, build, foreseen, excused = false;
  byte nlate = 0, own, needed, safe;

  do
  :: n > STEPS -> break
  :: else ->
    atomic {
      if
      :: d <= LIMIT -> d++
      :: true
      :: MAY_KICK && !kicked -> kicked = true; excused = true; d = LIMIT + 1
      fi;
      if
      :: forced[n] == UNKNOWN -> forced[n] = NO
#ifdef FORCED
      :: forced[n] == UNKNOWN -> forced[n] = YES
#endif
      :: else
      fi;
      ago++;
      build = false;
      foreseen = false
    };
    if
    :: forced[n] == YES -> build = true
    :: else ->
      if
      :: ago % EVERY == 0 ->
        if
        :: kind == ASK && n >= next -> ask()
        :: kind == BUILD && n >= next ->
          d_step { build = true; foreseen = true; go_on(LIMIT, n) }
        :: READS -> read_answer()
        :: else
        fi;
        atomic {
          if
          :: !build && d > LIMIT ->
            assert(excused);
            if
            :: passed_at == 0 -> passed_at = n; nmissed++
            :: else
            fi
          :: else
          fi
        }
      :: else
      fi
    fi;
    if
    :: !build && kind == READ && n + AHEAD == next ->
      assert(!open);
      give(late_before || passed_at > 0);
      d_step { open = true; tells_passed = passed_at > 0 }
    :: else
    fi;
    if
    :: build ->
      if
      :: !foreseen -> kind = ASK; next = n + 1    /* a question that is open is dropped then */
      :: else
      fi
    :: else
    fi;
    d_step {
      assert(built[n] == UNKNOWN || built[n] == (build -> YES : NO));
      built[n] = (build -> YES : NO);
      if
      :: build ->
        late_before = late_before || passed_at > 0;
        passed_at = 0;
        tells_passed = false;
        excused = false;
        d = 0;
        ago = 0
      :: else
      fi;
      n++
    }
  od;

  drop();
  give(late_before || passed_at > 0);
  given[q - 1] == RANKS;
  d_step {
    nlate = nlate + late[q - 1];
    assert(nlate == nmissed)
  }
}
