/* SPDX-License-Identifier: GPL-2.0-only

   Promela model of the link protocol in src/TOFU/transport/link.cpp: slots, credits that ride on
   messages or go alone, fragments, and senders that move arrivals aside while they wait.

   Two ranks make the same CALLS calls in the same order.  In a call, as in LAMMPS, a rank first
   sends all its messages and then reads all of the other rank.  Each call is chosen freely among
     both ways (a forward or a reverse), 0 -> 1 only, 1 -> 0 only (bursts in one direction),
   and each message has 1 or FRAGMENTS fragments; all choices are the same on both ranks, which
   models LAMMPS' rule that communication is collective.

   Checked:
     no overwrite    a slot is written only when its last message has been released (assert)
     in order        a rank reads the messages in the order of sending (assert)
     no deadlock     both ranks come to their end (spin's invalid end states)
     bounded         no more than SLOTS messages are under way (assert)

   Parameters by -D: SLOTS, THRESHOLD, CALLS, FRAGMENTS.  Mutations, each of which Spin must find:
     -DMUTANT_NO_CREDIT_CHECK     the sender does not look at its credit
     -DMUTANT_NO_LONE_CREDIT      credit only rides on messages
     -DMUTANT_NO_DRAIN            a sender that waits does not move arrivals aside
     -DMUTANT_EARLY_CREDIT        the receiver gives credit on arrival, before it reads the slot  */

#ifndef SLOTS
#define SLOTS 4
#endif
#ifndef THRESHOLD
#define THRESHOLD (SLOTS < 2 -> 1 : SLOTS / 2)
#endif
#ifndef CALLS
#define CALLS 4
#endif
#ifndef FRAGMENTS
#define FRAGMENTS 2
#endif

#define EMPTY 0

/* Of direction d, from rank d to rank 1-d.  Numbers of slot messages count from 1.

   content  written by the sender; the receiver makes it EMPTY when it has read it
   riding   the credit that came with a message, written by the sender
   lone     credit posted alone, written by the receiver of direction d, read by its sender      */

typedef Direction {
  byte content[SLOTS];
  byte riding[SLOTS];
  byte lone;
  byte nsent;        /* sender */
  byte credit;       /* sender: how many of them the receiver is known to have released */
  byte nreleased;    /* receiver */
  byte ncredited;    /* receiver: how many of those the sender has been told */
  byte aside         /* receiver: slot messages moved into its own memory, not yet read */
};

Direction link[2];

/* the script of calls, fixed before the ranks start: bit d of traffic = rank d sends */

byte traffic[CALLS];
byte length[CALLS];
bool ready = false;

#define out link[me]
#define in link[1 - me]
#define HAS_CREDIT (out.nsent - out.credit < SLOTS)
#define ARRIVED (in.content[in.nreleased % SLOTS] == in.nreleased + 1)

/* Link::has_credit() reads the lone credit when it is out of credit */
inline look_for_credit() {
  if
  :: !HAS_CREDIT && out.lone > out.credit -> out.credit = out.lone
  :: else
  fi
}

/* Link::publish(): header and payload become visible at once, by the release store of the number */
inline put() {
  d_step {
    assert(out.content[out.nsent % SLOTS] == EMPTY);
    out.content[out.nsent % SLOTS] = out.nsent + 1;
    out.riding[out.nsent % SLOTS] = in.nreleased;
    out.nsent++;
    in.ncredited = in.nreleased;
    assert(out.nsent - out.nreleased <= SLOTS);
    k++
  }
}

/* Link::poll_slot() and the reading of the slot: credit on a message counts as soon as it is seen */
inline read_slot() {
  d_step {
    assert(in.content[in.nreleased % SLOTS] == in.nreleased + 1);
    if
    :: in.riding[in.nreleased % SLOTS] > out.credit -> out.credit = in.riding[in.nreleased % SLOTS]
    :: else
    fi;
    in.content[in.nreleased % SLOTS] = EMPTY
  }
}

/* Link::release_slot() is a step of its own: the sender may act between reading and credit */
inline release_slot() {
  d_step {
    in.nreleased++;
#ifndef MUTANT_NO_LONE_CREDIT
    if
    :: in.nreleased - in.ncredited >= THRESHOLD ->
       in.lone = in.nreleased;
       in.ncredited = in.nreleased
    :: else
    fi
#endif
  }
}

/* the mutant gives credit first, so that the sender may write a slot that is not yet read */
inline release_then_read() {
  release_slot();
  d_step {
    assert(in.content[(in.nreleased - 1) % SLOTS] == in.nreleased);
    in.content[(in.nreleased - 1) % SLOTS] = EMPTY
  }
}

inline take() {
#ifdef MUTANT_EARLY_CREDIT
  release_then_read()
#else
  read_slot();
  release_slot()
#endif
}

proctype rank(byte me) {
  byte call = 0, k = 0;

  ready;
  do
  :: call == CALLS -> break
  :: else ->

    /* send slot by slot; each slot needs credit, with Transport::wait_for_credit() in between */

    do
    :: atomic { !((traffic[call] >> me) & 1) || k == length[call] -> k = 0; break }
    :: atomic {
         ((traffic[call] >> me) & 1) && k < length[call] ->
         look_for_credit();
         if
#ifdef MUTANT_NO_CREDIT_CHECK
         :: put()
#else
         :: HAS_CREDIT -> put()
         :: !HAS_CREDIT && out.lone > out.credit
#ifndef MUTANT_NO_DRAIN
         :: !HAS_CREDIT && ARRIVED -> take(); in.aside++
#endif
#endif
         fi
       }
    od;

    /* read the messages that were moved aside first, then the slots */

    do
    :: atomic { !((traffic[call] >> (1 - me)) & 1) || k == length[call] -> k = 0; break }
    :: atomic {
         ((traffic[call] >> (1 - me)) & 1) && k < length[call] && in.aside > 0 ->
         in.aside--;
         k++
       }
    :: ((traffic[call] >> (1 - me)) & 1) && k < length[call] && in.aside == 0 && ARRIVED ->
       take();
       k++
    od;
    call++
  od
}

init {
  byte i;
  for (i : 0 .. CALLS - 1) {
    if
    :: traffic[i] = 1
    :: traffic[i] = 2
    :: traffic[i] = 3
    fi;
    if
    :: length[i] = 1
    :: FRAGMENTS > 1 -> length[i] = FRAGMENTS
    fi
  }
  atomic {
    run rank(0);
    run rank(1);
    ready = true
  }
}
