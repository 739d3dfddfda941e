/* SPDX-License-Identifier: GPL-2.0-only

   Promela model of the uTofu backend (src/TOFU/transport/utofu/): slots and credits over a network
   that keeps no order between puts, nor between the lines of one put, and reads sources late.

   Rank 0 sends MESSAGES messages to rank 1.  A message has two lines.  With LANDING, every second one
   goes into an array, and a short put follows it with the notice, as UtofuChannel::put_landing()
   does.  Rank 1 gives credit for each message: the full count, into one word, with a notice.

   The network may at any time read a line of the source of any put, and write any line that it has
   read.  STRONG_ORDER: such a put is read after the earlier puts of its direction, and written after
   them.  The entry of a put comes when all of it has been read, in the order of the posts.  A notice
   comes when all of its put is written, after the notices before it.

   Checked:
     no overwrite    a message is read whole and right (assert)
     in order        (the same)
     full credit     in the end the sender knows that all slots are free (invalid end states)

   Parameters by -D: SLOTS, MESSAGES, LANDING.  Mutations, each of which Spin must find:
     -DMUTANT_LOOSE_CREDIT     credit without STRONG_ORDER
     -DMUTANT_LOOSE_LANDING    the short put without STRONG_ORDER
     -DMUTANT_NO_NOTICE        the receiver looks at the last line instead of waiting for the notice
     -DMUTANT_EARLY_SOURCE     the sender writes to an array before the entry of the put that leaves it
     -DMUTANT_EARLY_CREDIT     credit before the message is read                                      */

#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef MESSAGES
#define MESSAGES 4
#endif

#define FLY 4    /* puts of one direction under way: enough for two slots */
#define NO_NOTICE 255
#define GARBAGE 254

#define TO_SLOT 0
#define TO_ARRAY 1
#define SHORT 2
#define CREDIT 3

typedef Put {
  bool used;
  bool strong;
  byte what;
  byte slot;
  byte read[2];       /* lines as they were read; 0: not yet */
  bool written[2];
  byte nlines;
  byte value;         /* what travels in the order itself */
  byte sequence;
  byte ordinal;       /* of its notice */
  bool entered;       /* its entry has been given */
};

typedef Direction {
  Put put[FLY];
  byte nposted;
  byte nentries;      /* of the puts, in order */
  byte nwith_notice;
  byte nnotices       /* given */
};

Direction out[2];

/* rank 0 */
byte source[SLOTS];      /* slots that messages leave from */
byte array_source;       /* memory of the caller */
bool busy[SLOTS];
byte credit_word;        /* written by rank 1 */
byte credit_notices;     /* in the receive queue */
byte credit;

/* rank 1 */
byte line0[SLOTS], line1[SLOTS];
byte array0, array1;     /* where messages land */
byte landed[SLOTS];      /* number in the short header */
bool arrived[SLOTS];
byte nreleased;

#ifdef LANDING
#define IS_LANDING(n) ((n) % 2 == 0)
#else
#define IS_LANDING(n) false
#endif

inline post(d, kind, at, number, lines, order, notice) {
  atomic {
    i = 0;
    do
    :: out[d].put[i].used -> i++
    :: else -> break
    od;
    assert(i < FLY);
    out[d].put[i].used = true;
    out[d].put[i].strong = order;
    out[d].put[i].what = kind;
    out[d].put[i].slot = at;
    out[d].put[i].value = number;
    out[d].put[i].nlines = lines;
    out[d].put[i].read[0] = 0;
    out[d].put[i].read[1] = 0;
    out[d].put[i].written[0] = false;
    out[d].put[i].written[1] = false;
    out[d].put[i].entered = false;
    out[d].put[i].sequence = out[d].nposted;
    out[d].nposted++;
    if
    :: notice -> out[d].put[i].ordinal = out[d].nwith_notice; out[d].nwith_notice++
    :: else -> out[d].put[i].ordinal = NO_NOTICE
    fi;
    i = 0
  }
}

/* UtofuEndpoint::progress() of rank 0 */
inline look_for_credit() {
  atomic {
    if
    :: credit_notices > 0 ->
       credit_notices = 0;
       if
       :: credit_word > credit -> credit = credit_word
       :: else
       fi
    :: else
    fi
  }
}

proctype Sender() {
  byte n = 1, i;
  do
  :: n > MESSAGES -> break
  :: else ->
     do
     :: n <= credit + SLOTS && !busy[(n - 1) % SLOTS] -> break
     :: credit_notices > 0 -> look_for_credit()
     od;
     if
     :: IS_LANDING(n) ->
        array_source = n;
        busy[(n - 1) % SLOTS] = true;
        post(0, TO_ARRAY, (n - 1) % SLOTS, n, 2, false, false);
#ifdef MUTANT_LOOSE_LANDING
        post(0, SHORT, (n - 1) % SLOTS, n, 1, false, true);
#else
        post(0, SHORT, (n - 1) % SLOTS, n, 1, true, true);
#endif
#ifndef MUTANT_EARLY_SOURCE
        !busy[(n - 1) % SLOTS];    /* settle(): the entry of the last put stands for both */
#endif
        array_source = 0
     :: else ->
        source[(n - 1) % SLOTS] = n;
        busy[(n - 1) % SLOTS] = true;
        post(0, TO_SLOT, (n - 1) % SLOTS, n, 2, false, true)
     fi;
     n++
  od;
  do    /* the whole credit must come */
  :: credit == MESSAGES -> break
  :: credit_notices > 0 -> look_for_credit()
  od
}

proctype Receiver() {
  byte n, i, at;
  do
  :: nreleased == MESSAGES -> break
  :: else ->
     n = nreleased + 1;
     at = nreleased % SLOTS;
#ifdef MUTANT_NO_NOTICE
     arrived[at] || (!IS_LANDING(n) && line1[at] == n);
#else
     arrived[at];
#endif
#ifdef MUTANT_EARLY_CREDIT
     post(1, CREDIT, 0, n, 1, true, true);
#endif
     if
     :: IS_LANDING(n) -> assert(landed[at] == n && array0 == n && array1 == n)
     :: else -> assert(line0[at] == n && line1[at] == n)
     fi;
     arrived[at] = false;
     nreleased++;
#ifdef MUTANT_EARLY_CREDIT
     skip
#else
#ifdef MUTANT_LOOSE_CREDIT
     post(1, CREDIT, 0, nreleased, 1, false, true)
#else
     post(1, CREDIT, 0, nreleased, 1, true, true)
#endif
#endif
  od
}

#define PUT(j) out[d].put[j]
#define ALL_READ(j) (PUT(j).read[0] && (PUT(j).nlines == 1 || PUT(j).read[1]))
#define ALL_WRITTEN(j) (PUT(j).written[0] && (PUT(j).nlines == 1 || PUT(j).written[1]))
#define BEFORE(j) (PUT(j).used && PUT(j).sequence < PUT(p).sequence)
#define UNREAD_BEFORE (BEFORE(0) && !ALL_READ(0) || BEFORE(1) && !ALL_READ(1) || \
                       BEFORE(2) && !ALL_READ(2) || BEFORE(3) && !ALL_READ(3))
#define UNWRITTEN_BEFORE (BEFORE(0) && !ALL_WRITTEN(0) || BEFORE(1) && !ALL_WRITTEN(1) || \
                          BEFORE(2) && !ALL_WRITTEN(2) || BEFORE(3) && !ALL_WRITTEN(3))
#define MAY_READ(k) (PUT(p).used && k < PUT(p).nlines && !PUT(p).read[k] && \
                     !(PUT(p).strong && UNREAD_BEFORE))
#define MAY_WRITE(k) (PUT(p).used && k < PUT(p).nlines && PUT(p).read[k] && !PUT(p).written[k] && \
                      !(PUT(p).strong && UNWRITTEN_BEFORE))

inline read_line(k) {
  if
  :: PUT(p).what == TO_SLOT -> PUT(p).read[k] = source[PUT(p).slot]
  :: PUT(p).what == TO_ARRAY -> PUT(p).read[k] = (array_source -> array_source : GARBAGE)
  :: else -> PUT(p).read[k] = PUT(p).value
  fi
}

inline write_line(k) {
  PUT(p).written[k] = true;
  if
  :: PUT(p).what == TO_SLOT && k == 0 -> line0[PUT(p).slot] = PUT(p).read[k]
  :: PUT(p).what == TO_SLOT && k == 1 -> line1[PUT(p).slot] = PUT(p).read[k]
  :: PUT(p).what == TO_ARRAY && k == 0 -> array0 = PUT(p).read[k]
  :: PUT(p).what == TO_ARRAY && k == 1 -> array1 = PUT(p).read[k]
  :: PUT(p).what == SHORT -> landed[PUT(p).slot] = PUT(p).read[k]
  :: PUT(p).what == CREDIT -> credit_word = PUT(p).read[k]
  fi
}

/* what the network may do with one put, at any time */
proctype Network(byte d; byte p) {
end:
  do
  :: d_step { MAY_READ(0) -> read_line(0) }
  :: d_step { MAY_READ(1) -> read_line(1) }
  :: d_step { MAY_WRITE(0) -> write_line(0) }
  :: d_step { MAY_WRITE(1) -> write_line(1) }
  :: d_step {    /* its entry */
       PUT(p).used && ALL_READ(p) && !PUT(p).entered && out[d].nentries == PUT(p).sequence ->
       PUT(p).entered = true;
       out[d].nentries++;
       if
       :: PUT(p).what == TO_SLOT || PUT(p).what == SHORT -> busy[PUT(p).slot] = false
       :: else
       fi
     }
  :: d_step {    /* its notice */
       PUT(p).used && ALL_WRITTEN(p) && PUT(p).entered &&
       (PUT(p).ordinal == NO_NOTICE || PUT(p).ordinal == out[d].nnotices) ->
       if
       :: PUT(p).ordinal == NO_NOTICE
       :: else ->
          out[d].nnotices++;
          if
          :: d == 0 -> arrived[PUT(p).slot] = true
          :: else -> credit_notices++
          fi
       fi;
       PUT(p).used = false;
       PUT(p).what = 0;
       PUT(p).slot = 0;
       PUT(p).value = 0;
       PUT(p).read[0] = 0;
       PUT(p).read[1] = 0
     }
  od
}

init {
  atomic {
    run Sender();
    run Receiver();
    run Network(0, 0);
    run Network(0, 1);
    run Network(0, 2);
    run Network(0, 3);
    run Network(1, 0);
    run Network(1, 1);
    run Network(1, 2);
    run Network(1, 3)
  }
}
