// SPDX-License-Identifier: GPL-2.0-only
//
// SideSolve: solutions of a mesh, each either on a thread beside the caller or in the call of
// finish(), and the time that they take.
//
//   set request       atoms and wanted results of a step
//   start()           begins the solution on the thread beside the caller; may be left out
//   finish()          results are there
//
// From start() to finish() the request and the arrays that it points to must not change.  All
// functions are for the thread that made the object.

#ifndef TOFU_MESH_SIDE_SOLVE_H
#define TOFU_MESH_SIDE_SOLVE_H

#include "mesh_solver.h"
#include "pool/side_thread.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace TOFU_NS {

class SideSolve {
 public:
  /** \param solve   computes the results of a request; may throw, calls no MPI */
  explicit SideSolve(std::function<MeshResults(const MeshRequest &)> solve) :
      solve_(std::move(solve))
  {
  }

  MeshRequest request;

  /** Make the thread.

      \throws std::system_error if the system gives no more threads */
  void make_thread(const SideThread::Options &options)
  {
    thread_ = std::make_unique<SideThread>(options);
  }

  /** End the thread, after the solution in hand. */
  void end_thread() { thread_.reset(); }
  bool has_thread() const { return thread_ != nullptr; }

  /** Something was started and not finished. */
  bool busy() const { return thread_ && thread_->busy(); }

  /** Begin a solution on the thread, which has the work alone.

      \param step   number of the step */
  void start(std::int64_t step);

  /** Whether the solution in hand is of this step and has all results that are wanted. */
  bool started_for(std::int64_t step, const MeshRequest &wanted) const;

  /** Wait for the solution in hand.  If there is none, solve the request now.

      \param parts   that share the work of the latter
      \throws        what the solution threw */
  const MeshResults &finish(const Parts &parts);

  /** Solve the last request once more, which is not counted; results are the same.

      \return   seconds */
  double measure(const Parts &parts);

  const MeshResults &results() const { return results_; }

  /** Times since reset_times(). */
  struct Times {
    double solving = 0.0;    // seconds of all solutions
    double last = 0.0;       // of the last one
    double visible = 0.0;    // that the caller spent in finish()
    std::int64_t nsolved = 0;
  };
  const Times &times() const { return times_; }
  void reset_times() { times_ = Times(); }

 private:
  void run();

  const std::function<MeshResults(const MeshRequest &)> solve_;
  MeshResults results_;
  std::int64_t step_ = -1;    // of the last start()
  Times times_;               // the caller writes `visible`, the thread that solves the others
  std::unique_ptr<SideThread> thread_;
};

}    // namespace TOFU_NS

#endif
