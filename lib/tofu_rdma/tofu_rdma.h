/* SPDX-License-Identifier: GPL-2.0-only

   libtofu_rdma: put with notice between the ranks of an MPI program.

   A rank registers memory once; its peers put bytes into it; the notice arrives with the data, so
   that no barrier, no matching receive and no message size is needed.

     tofu_rdma_create     once, collective: links to the peers
     tofu_rdma_register   my memory that peers may write; gives a region number
     tofu_rdma_commit     once after it: sends the sizes of the regions to the peers
     tofu_rdma_remote     address of a peer's region
     tofu_rdma_put        bytes, and a notice, into that region
     tofu_rdma_wait       block until a notice of a peer arrives; tofu_rdma_test does not block
     tofu_rdma_free       collective

   Semantics of a put:

     * Writing.  tofu_rdma_put() copies the bytes into the next free slot for that peer: memory
       that the peer set aside (shared memory) or a send buffer (libfabric, MPI).  When it returns,
       the local buffer may be reused.  It never writes the region itself.  The receiving rank
       copies the bytes from the slot to the region, inside tofu_rdma_wait(), tofu_rdma_test(),
       tofu_rdma_progress() or tofu_rdma_commit(), also when these were called for another peer.
       At no other time do puts of others change registered memory.
     * Reading.  The owner of the region reads the bytes with ordinary loads, as soon as wait or
       test has returned the notice of the put.  Bytes that the same peer put before are there as
       well: puts of one peer land in the order of the calls, and so do their notices.  There is no
       order between puts of different peers.
     * Visibility.  Within a node the slot's sequence number makes the bytes visible: it is stored
       after the bytes with release order, and read with acquire order.  Between nodes the message
       that carries both makes them visible.
     * Before its notice a put may have landed in part, in full or not at all.  A put of the next
       step may land while the receiver still waits for another peer: use two regions in turn if a
       peer can be one step ahead (examples/stencil.c).
     * Flow control.  There are `slots` slots for each peer and direction.  If all of them hold
       puts that the receiver has not landed yet, tofu_rdma_put() waits.  Meanwhile it copies
       arriving puts out of their slots, so that ranks which put to each other at the same time
       cannot deadlock.  If the receiver never calls wait, test, progress, commit, free, or a put
       that itself has to wait, tofu_rdma_put() waits for ever; options.warn is called after
       warn_seconds.
     * A put of more than options.slot_bytes travels in several slots; its notice is in the last.
     * A put to this rank itself is a copy; its notice can be waited for at once.

   Threads: a context belongs to one thread at a time.  A process may hold several contexts; a
   call on one of them does not drive the others.

   Errors: every function that can fail returns TOFU_RDMA_OK or an error code, and
   tofu_rdma_message() has the text.  The library never ends the program, and no C++ exception
   leaves it. */

#ifndef TOFU_RDMA_H
#define TOFU_RDMA_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TOFU_RDMA_API __attribute__((visibility("default")))
#else
#define TOFU_RDMA_API
#endif

/** Counts changes of this header that callers have to be recompiled for. */
#define TOFU_RDMA_VERSION 1

/** A context: the links of this rank to its peers, and its registered memory. */
typedef struct tofu_rdma tofu_rdma;

enum {
  TOFU_RDMA_OK = 0,
  TOFU_RDMA_ERROR_ARGUMENT = 1, /* an argument that is never allowed */
  TOFU_RDMA_ERROR_BOUNDS = 2,   /* a put beyond the end of the remote region; nothing was sent */
  TOFU_RDMA_ERROR_STATE = 3,    /* not yet, or not any more: calls in the wrong order */
  TOFU_RDMA_ERROR_CONNECT = 4,  /* the backend cannot serve all peers, see options.backend */
  TOFU_RDMA_ERROR_PEER = 5,     /* a peer died or broke the protocol; only free is left to call */
  TOFU_RDMA_ERROR_MEMORY = 6,   /* out of memory; only free is left to call */
  TOFU_RDMA_ERROR_FOREVER = 7,  /* a wait that nothing could ever end */
  TOFU_RDMA_ERROR_INTERNAL = 8  /* a defect of the library */
};

/** In place of a rank or of a notice. */
#define TOFU_RDMA_ANY (-1)
#define TOFU_RDMA_NO_NOTICE (-1)

/** Options of a new context; fill them in with tofu_rdma_default_options() first. */
typedef struct {
  const char *backend; /* "auto": shared memory within a node, between nodes libfabric where the
                          library was built with it, else MPI (default); or a name that
                          tofu_rdma_backend_name() gives, for all peers */
  int slots;           /* per peer and direction, 1 to 64 (default 4) */
  size_t slot_bytes;   /* of one put that still fits into a slot, 1 to 2^27 (default 32768); takes
                          slots*slot_bytes bytes per peer and direction, at least 4096 a slot */
  int stream;          /* 1: write into shared memory past the cache of the writing core, which is
                          faster between physical cores; 0: ordinary stores, which are faster where
                          two ranks share a core (default 1) */
  int verify;          /* 1: checksum everything that this rank puts (default 0) */
  int node_size;       /* > 0: treat every node_size consecutive ranks as a node, to test the path
                          between nodes on one machine (default 0) */
  double warn_seconds; /* call warn() once in a call that waits longer, then go on (default 30) */
  void (*warn)(const char *text, void *user); /* NULL: print to standard error (default) */
  void *warn_user;                            /* argument of warn() */
} tofu_rdma_options;

/** Address of a peer's region; filled in by tofu_rdma_remote(); plain data, free to copy. */
typedef struct {
  int peer;     /* rank in the communicator of the context */
  int region;   /* number that tofu_rdma_register() gave on that rank */
  size_t bytes; /* size of the region */
} tofu_rdma_address;

/** A put that has landed here with a notice. */
typedef struct {
  int peer;      /* rank that called tofu_rdma_put() */
  int notice;    /* as given there */
  int region;    /* of this rank */
  size_t offset; /* in the region, bytes */
  size_t bytes;  /* of the put */
} tofu_rdma_event;

/** Fill in the defaults. */
TOFU_RDMA_API void tofu_rdma_default_options(tofu_rdma_options *options);

/** Make a context.  Collective over `comm`; fails on all ranks or on none (arguments that are
    NULL, and MPI that is not running, fail on the spot).

    \param comm      between MPI_Init and MPI_Finalize; duplicated, so it may be freed afterwards
    \param npeers    >= 0
    \param peers     [npeers] ranks in `comm`, in any order, each once; may hold this rank; if i is
                     a peer of j then j must be a peer of i
    \param options   NULL: defaults; backend, slots and node_size must be the same on all ranks
    \param context   set to the new context, or to NULL; owned by the caller, see
                     tofu_rdma_free() */
TOFU_RDMA_API int tofu_rdma_create(MPI_Comm comm, int npeers, const int *peers,
                                   const tofu_rdma_options *options, tofu_rdma **context);

/** Let all peers write `bytes` bytes at `memory`.  Local.

    \param context   from tofu_rdma_create()
    \param memory    owned by the caller, any alignment; must stay until tofu_rdma_free()
    \param bytes     size of the region
    \param region    set to 0, 1, 2 ... in the order of the calls on this rank */
TOFU_RDMA_API int tofu_rdma_register(tofu_rdma *context, void *memory, size_t bytes, int *region);

/** Exchange the addresses of regions with all peers.  Collective over a rank and its peers: each
    calls it the same number of times.  More regions may be registered and committed later. */
TOFU_RDMA_API int tofu_rdma_commit(tofu_rdma *context);

/** Address of a region of a peer.  Local, after the commit. */
TOFU_RDMA_API int tofu_rdma_remote(tofu_rdma *context, int peer, int region,
                                   tofu_rdma_address *address);

/** Put bytes into a region of a peer.

    \param context   from tofu_rdma_create()
    \param to        from tofu_rdma_remote()
    \param offset    in the region, bytes; offset+bytes <= to->bytes is checked here, at the
                     sender
    \param local     read before the call returns; may be NULL if bytes is 0
    \param bytes     # of bytes
    \param notice    >= 0: the receiver can wait for it; TOFU_RDMA_NO_NOTICE: no notice; the bytes
                     are visible after the notice of a later put */
TOFU_RDMA_API int tofu_rdma_put(tofu_rdma *context, const tofu_rdma_address *to, size_t offset,
                                const void *local, size_t bytes, int notice);

/** Block until a notice has arrived, and take the oldest that matches.  Notices that are not taken
    are kept, some 40 bytes each.

    \param context   from tofu_rdma_create()
    \param peer      rank, or TOFU_RDMA_ANY
    \param notice    number, or TOFU_RDMA_ANY
    \param event     gets the put of the notice; may be NULL */
TOFU_RDMA_API int tofu_rdma_wait(tofu_rdma *context, int peer, int notice, tofu_rdma_event *event);

/** tofu_rdma_wait() without blocking.  It does not detect that a peer died.

    \param context   from tofu_rdma_create()
    \param peer      rank, or TOFU_RDMA_ANY
    \param notice    number, or TOFU_RDMA_ANY
    \param found     set to 1 if a notice has arrived, else to 0
    \param event     gets the put of the notice; may be NULL */
TOFU_RDMA_API int tofu_rdma_test(tofu_rdma *context, int peer, int notice, int *found,
                                 tofu_rdma_event *event);

/** Land the puts that have arrived, and advance the transfers in flight.  To be called repeatedly
    during a long computation, so that peers do not wait for slots. */
TOFU_RDMA_API int tofu_rdma_progress(tofu_rdma *context);

/** End a context and set it to NULL.  Collective over its communicator, before MPI_Finalize;
    returns when all ranks have called it.  Puts that have not landed are lost.  Local after
    TOFU_RDMA_ERROR_PEER or TOFU_RDMA_ERROR_MEMORY.  A context that is NULL is allowed. */
TOFU_RDMA_API int tofu_rdma_free(tofu_rdma **context);

/** Name of the backend that serves a peer: "shm", "mpi" ... or "self"; NULL if the rank is no peer.
    Owned by the context. */
TOFU_RDMA_API const char *tofu_rdma_peer_backend(tofu_rdma *context, int peer);

/** Names for options.backend: index 0, 1, 2 ...; NULL behind the last.  Static. */
TOFU_RDMA_API const char *tofu_rdma_backend_name(int index);

/** Text of the last call of this thread that failed: the rank, what was found, the limit, the
    remedy.  "" if none has failed.  Owned by the library, valid until the next call fails. */
TOFU_RDMA_API const char *tofu_rdma_message(void);

/* ---- for the Fortran module */

/** tofu_rdma_create() with a communicator of Fortran. */
TOFU_RDMA_API int tofu_rdma_create_f(MPI_Fint comm, int npeers, const int *peers,
                                     const tofu_rdma_options *options, tofu_rdma **context);

/** Always fails: an array section that is not contiguous was given. */
TOFU_RDMA_API int tofu_rdma_refuse_section_f(void);

#ifdef __cplusplus
}
#endif

#endif
