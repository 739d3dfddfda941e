// SPDX-License-Identifier: GPL-2.0-only

#include "side_thread.h"

#include "processors.h"

#include <utility>

namespace TOFU_NS {

namespace {

  constexpr double PATIENCE = 50e-6;    // seconds that the caller polls before it yields its core

}    // namespace

/* ---------------------------------------------------------------------- */

SideThread::SideThread(const Options &options) : options_(options)
{
  thread_ = std::thread([this]() { serve(); });
  if (!options_.processors.empty()) bind_thread(thread_, options_.processors);
}

/* ---------------------------------------------------------------------- */

SideThread::~SideThread()
{
  end_ = started_.number() + 1;    // the last start, and the only one without work
  over_ = true;
  started_.raise();
  thread_.join();
}

/* ---------------------------------------------------------------------- */

void SideThread::start(std::function<void()> work)
{
  work_ = std::move(work);
  busy_ = true;
  started_.raise();
}

/* ---------------------------------------------------------------------- */

void SideThread::join()
{
  if (!busy_) return;
  done_.await(started_.number() - 1, SpinFor(PATIENCE));
  busy_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/* ---------------------------------------------------------------------- */

void SideThread::serve()
{
  for (unsigned last = 0; await(last); last++) {
    try {
      work_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    done_.raise();
  }
}

/* ----------------------------------------------------------------------
   Returns: true when there is work after the last, false at the end
------------------------------------------------------------------------- */

bool SideThread::await(unsigned last)
{
  started_.await(last, SpinFor(options_.spin));
  return !over_ || last + 1 != end_;
}

}    // namespace TOFU_NS
