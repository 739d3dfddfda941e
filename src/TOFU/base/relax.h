// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_POOL_RELAX_H
#define TOFU_POOL_RELAX_H

namespace TOFU_NS {

/** Pause between two polls of a spinning thread: the core's units are free for its other hardware
    thread. */
inline void relax()
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}    // namespace TOFU_NS

#endif
