/* SPDX-License-Identifier: GPL-2.0-only

   What the emulator of uTofu has beyond uTofu itself, for tests.  The settings are variables of the
   environment, see README.md. */

#ifndef TOFU_EMULATOR_H
#define TOFU_EMULATOR_H

#include <stddef.h>

/** What a process has seen since its start or the last tofu_emulator_restart(). */
struct tofu_emulator_counts {
  size_t vcqs, registrations, gates;   /* that exist now */
  size_t unread_tcq, unread_mrq;       /* entries now, of queues that were freed as well */
  size_t most_toq, most_tcq, most_mrq; /* most entries ever in one queue */
  size_t orders, busy, notices;        /* # of posts, of posts without room, of notices */
};

#ifdef __cplusplus
extern "C" {
#endif

/** Read the environment again and forget the counts.

    \return   0, or -1 if this process has a queue, so that nothing was done */
int tofu_emulator_restart(void);

void tofu_emulator_count(struct tofu_emulator_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
