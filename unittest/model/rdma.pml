/* SPDX-License-Identifier: GPL-2.0-only

   Promela model of a link over a network that writes remotely, and of its replacement by a link with
   larger slots.  credits.pml has the protocol over memory, where a message arrives as soon as it
   is sent; here every put takes time:

     a put     is under way from its posting on; when all of it has landed, its entry appears in the
               receiver's completion queue, with the number of the slot.  Puts do not wait for each
               other: entries come in any order.  With -DTORN a header lands before the rest
     complete  the network reads the send buffer of a slot until it reports local completion, which
               may come before or after the entry, even after the credit for the slot.  Completion
               does not depend on the ranks, and only the next put from the buffer can tell when it
               came; in the model it therefore comes when that put waits for it
     credit    that goes alone is an increment; increments come in any order.  An increment of n is
               modelled as n increments of 1: these have all sums that increments in any order can have

   Before one call at most, chosen freely, both ranks may replace the link (PeerLinks::connect(),
   Transport::~Transport(), Transport::connect()): each rank says goodbye, waits for the goodbye of
   the other, makes new slots and sends their address.  A long message, which takes FRAGMENTS slots of
   the old link, fits into one slot of the new.  At the end the last link is closed the same way.  The
   code stops waiting for a goodbye after a second, for peers that have died; the model never does,
   so nothing here relies on that.

   Two kinds of network:
     default     there is no order, and the goodbye may overtake credit.  A new link has a new
                 address; all that comes for an old address is lost (channel_ofi.cpp)
     -DORDERED   credits and goodbye keep their order, and a new link may have the address of the
                 old (mpi_backend.cpp)

   The calls are those of credits.pml: a rank sends all its messages first and reads all of the other
   rank then; both ways or one way only, 1 or FRAGMENTS fragments; the same on both ranks.

   Checked:
     no overwrite     a put is posted only if nothing is under way to its slot and its last message
                      has been read; a send buffer is written only when the network is done with it
     no loss, order   messages are read in the order of sending, after they have landed, and all are read
     links are apart  nothing of the old link counts for the new, and no put outlives its link
     no deadlock      both ranks come to their end (spin's invalid end states)

   Mutations, each of which Spin must find:
     -DMUTANT_EARLY_REWRITE     the sender takes the credit for permission to rewrite the send buffer
     -DMUTANT_LOOK_AT_MEMORY    the reader takes a header in the slot for a message, without its entry (TORN)
     -DMUTANT_ARRIVAL_ORDER     messages are delivered in the order of their entries
     -DMUTANT_COUNT_ENTRIES     the reader takes any entry for one of the next slot, regardless of its number
     -DMUTANT_SHORT_INCREMENT   a lone credit leaves out the credit that rode on messages before it
     -DMUTANT_NO_GOODBYE        a link is replaced without waiting for the goodbye
     -DMUTANT_SAME_ADDRESS      the new link has the old address although there is no order
     -DMUTANT_ANSWER_GOODBYE    a rank says goodbye only when it has heard it
     -DMUTANT_LONELY_DECISION   a rank replaces its link without asking the other

   Parameters by -D: SLOTS, THRESHOLD (2 or more for credit to ride), CALLS, FRAGMENTS.  */

#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef THRESHOLD
#define THRESHOLD (SLOTS < 2 -> 1 : SLOTS / 2)
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef FRAGMENTS
#define FRAGMENTS 2
#endif

#define EMPTY 0

/* Of direction d, from rank d to rank 1-d.  A message is known by its place among all that were
   ever sent in its direction, over all links; slots are counted anew on every link.          */

typedef Direction {
  /* sender */
  byte nsent;
  byte credit;           /* how many of them the receiver is known to have released */
  byte lone;             /* sum of the increments that have come alone */
  bit busy[SLOTS];       /* the network still reads the send buffer */
  byte sent_ever;
  /* network */
  byte wire[SLOTS];      /* message under way to the slot */
  byte riding[SLOTS];    /* the credit that comes with it */
  byte lone_wire[2];     /* credit under way to the sender, on the first link and on the second */
  /* receiver */
  byte content[SLOTS];   /* message that has landed in the slot, at least its header */
  bit entry[SLOTS];      /* the completion queue had an entry for the slot */
  byte nreleased;
  byte ncredited;        /* how many of those the sender has been told in any way */
  byte nposted;          /* ... has been told by increments */
  byte aside;            /* messages moved into the receiver's memory, not yet read */
  byte read_ever
};

Direction link[2];

/* of rank r */

byte generation[2];      /* links it has closed */
byte offered[2];         /* links whose place it has told the other */
bit goodbye_wire[2];     /* its goodbye is under way */
bit goodbye_seen[2];     /* it has heard the goodbye of the other */

/* the script: bit d of traffic = rank d sends.  The first rank to make a call chooses for both, and
   the last deletes the choice: future and past calls must not tell states apart */

byte traffic[CALLS];
bit long_message[CALLS];
bit grows[CALLS];        /* the link is replaced before this call */
bit left[CALLS];         /* one of the ranks has finished the call */
bit grown;               /* a replacement has been chosen; there is one at most */
bool ready = false;

#define out link[me]
#define in link[1 - me]
#define TO (out.nsent % SLOTS)
#define NEXT (in.nreleased % SLOTS)
#define HAS_CREDIT (out.nsent - out.credit < SLOTS)
#define SENDS(r) ((traffic[call] >> (r)) & 1)
#define LENGTH (long_message[call] && generation[me] == 0 -> FRAGMENTS : 1)

#ifdef ORDERED
#define GOODBYE_COMES (goodbye_wire[me] && in.lone_wire[0] == 0 && in.lone_wire[1] == 0)
#else
#define GOODBYE_COMES (goodbye_wire[me])
#endif

#ifdef TORN
#define LANDED(d, s) (link[d].content[s] == link[d].wire[s])
#else
#define LANDED(d, s) true
#endif

#if defined(MUTANT_LOOK_AT_MEMORY)
#define ARRIVED (in.content[NEXT] != EMPTY)
#elif defined(MUTANT_COUNT_ENTRIES) || defined(MUTANT_ARRIVAL_ORDER)
#define ARRIVED (in.entry[0] || in.entry[1])    /* for two slots */
#else
#define ARRIVED (in.entry[NEXT])
#endif

/* ---- the network: a process for each slot, one for credits, one for goodbyes ---- */

proctype slot_path(byte d; byte s) {
end:
  do
#ifdef TORN
  :: atomic {
       link[d].wire[s] != EMPTY && !LANDED(d, s) ->
       link[d].content[s] = link[d].wire[s]
     }
#endif
  :: atomic {
       link[d].wire[s] != EMPTY && LANDED(d, s) ->
       assert(generation[d] == generation[1 - d]);    /* both ends of the link last as long as the put */
       link[d].content[s] = link[d].wire[s];
       link[d].entry[s] = 1;
       link[d].wire[s] = EMPTY
     }
  od
}

inline credit_comes(g) {
  atomic {
    link[d].lone_wire[g] > 0 ->
    link[d].lone_wire[g]--;
#if defined(ORDERED) || defined(MUTANT_SAME_ADDRESS)
    assert(generation[d] == g);
#endif
    if
    :: generation[d] == g -> link[d].lone++
    :: else
    fi
  }
}

proctype credit_path(byte d) {
end:
  do
  :: credit_comes(0)
  :: credit_comes(1)
  od
}

proctype goodbye_path(byte me) {
end:
  do
  :: atomic {
       GOODBYE_COMES ->
       goodbye_wire[me] = 0;
       goodbye_seen[1 - me] = 1
     }
  od
}

/* ---- a rank ---- */

inline choose_call() {
  if
  :: traffic[call] == 0 ->
     if
     :: traffic[call] = 1
     :: traffic[call] = 2
     :: traffic[call] = 3
     fi;
     if
     :: long_message[call] = 0
     :: FRAGMENTS > 1 -> long_message[call] = 1
     fi;
     if
     :: !grown -> grows[call] = 1; grown = 1
     :: true
     fi
  :: else
  fi
}

inline leave_call() {
  d_step {
    if
    :: left[call] -> traffic[call] = 0; long_message[call] = 0; grows[call] = 0; left[call] = 0
    :: else -> left[call] = 1
    fi;
    call++
  }
}

inline look_for_credit() {
  if
  :: !HAS_CREDIT && out.lone > out.credit -> out.credit = out.lone
  :: else
  fi
}

inline put() {
  d_step {
    assert(!out.busy[TO]);
    assert(out.wire[TO] == EMPTY);
    assert(out.content[TO] == EMPTY);
    out.sent_ever++;
    out.wire[TO] = out.sent_ever;
    out.riding[TO] = in.nreleased;
    out.busy[TO] = 1;
    out.nsent++;
    in.ncredited = in.nreleased;
    k++
  }
}

/* reading and release are two steps in the code.  The sender cannot tell them from one: it acts on
   credit only */

inline take() {
  d_step {
    from = NEXT;
#ifdef MUTANT_ARRIVAL_ORDER
    if
    :: !in.entry[from] -> from = (in.entry[0] -> 0 : 1)
    :: else
    fi;
#endif
    in.read_ever++;
    assert(in.content[from] == in.read_ever);
    assert(in.wire[from] == EMPTY);
    if
    :: in.riding[from] > out.credit -> out.credit = in.riding[from]
    :: else
    fi;
    in.content[from] = EMPTY;
    in.riding[from] = 0;
    in.entry[from] = 0;
    from = 0;
    in.nreleased++;
    if
    :: in.nreleased - in.ncredited >= THRESHOLD ->
#ifdef MUTANT_SHORT_INCREMENT
       in.lone_wire[generation[me]] = in.lone_wire[generation[me]] + in.nreleased - in.ncredited;
#else
       in.lone_wire[generation[me]] = in.lone_wire[generation[me]] + in.nreleased - in.nposted;
#endif
       in.nposted = in.nreleased;
       in.ncredited = in.nreleased
    :: else
    fi
  }
}

inline close_link() {
#ifdef MUTANT_ANSWER_GOODBYE
  goodbye_seen[me];
#endif
  goodbye_wire[me] = 1;
#ifndef MUTANT_NO_GOODBYE
  goodbye_seen[me];
#endif
  d_step {
    goodbye_seen[me] = 0;
    assert(in.aside == 0);
    out.nsent = 0;
    out.credit = 0;
    out.lone = 0;
    for (k : 0 .. SLOTS - 1) {
      out.busy[k] = 0;    /* the old buffers stay until the network has finished, and the new link has its own */
      assert(in.wire[k] == EMPTY && !in.entry[k] && in.content[k] == EMPTY)
    }
    k = 0;
    in.nreleased = 0;
    in.ncredited = 0;
    in.nposted = 0;
    generation[me]++
  }
}

/* the swaps of Transport::connect(): no rank goes on before the other has its slots ready */

inline connect() {
  offered[me]++;
  offered[1 - me] >= offered[me]
}

proctype rank(byte me) {
  byte call = 0, k = 0, from = 0;

  ready;
  do
  :: call == CALLS -> break
  :: else ->
    atomic { choose_call() };
    if
#ifdef MUTANT_LONELY_DECISION
    :: grows[call] && me == 0 ->
#else
    :: grows[call] ->
#endif
       close_link();
       connect()
    :: else
    fi;

    /* send slot by slot; each slot needs credit and a buffer that the network no longer reads */

    do
    :: atomic { !SENDS(me) || k == LENGTH -> k = 0; break }
    :: atomic {
         SENDS(me) && k < LENGTH ->
         look_for_credit();
         if
#ifndef MUTANT_EARLY_REWRITE
         :: HAS_CREDIT && out.busy[TO] -> out.busy[TO] = 0
         :: HAS_CREDIT && !out.busy[TO] -> put()
#else
         :: HAS_CREDIT -> put()
#endif
         :: !HAS_CREDIT && out.lone > out.credit
         :: !HAS_CREDIT && ARRIVED -> take(); in.aside++
         fi
       }
    od;

    /* read the messages that were moved aside first, then the slots */

    do
    :: atomic { !SENDS(1 - me) || k == LENGTH -> k = 0; break }
    :: atomic { SENDS(1 - me) && k < LENGTH && in.aside > 0 -> in.aside--; k++ }
    :: atomic { SENDS(1 - me) && k < LENGTH && in.aside == 0 && ARRIVED -> take(); k++ }
    od;
    leave_call()
  od;
  close_link()
}

init {
  byte i;
  atomic {
    for (i : 0 .. SLOTS - 1) {
      run slot_path(0, i);
      run slot_path(1, i)
    }
    run credit_path(0);
    run credit_path(1);
    run goodbye_path(0);
    run goodbye_path(1);
    run rank(0);
    run rank(1);
    i = 0;
    ready = true
  }
}
