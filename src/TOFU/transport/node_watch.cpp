// SPDX-License-Identifier: GPL-2.0-only

#include "node_watch.h"

#include "rank_watch.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <mpi.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace TOFU_NS {

namespace {

  using Clock = std::chrono::steady_clock;

  constexpr double GRACE = 1.0;                          // seconds before the alarm
  constexpr unsigned SECONDS_TO_ABORT = 2;               // before this process ends without MPI
  constexpr std::chrono::seconds PATIENCE_AT_END{10};    // with ranks that never come

  /** MPI_Abort() is called by a thread that MPI may not expect, while another one is inside MPI:
      should it not come back, the alarm clock ends this process. */
  void end_job(MPI_Comm comm, const std::string &name, const std::string &why)
  {
    std::fprintf(stderr, "ERROR: %s: %s\n", name.c_str(), why.c_str());
    std::fflush(stderr);
    std::signal(SIGALRM, SIG_DFL);
    sigset_t clock;
    sigemptyset(&clock);
    sigaddset(&clock, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &clock, nullptr);
    alarm(SECONDS_TO_ABORT);
    MPI_Abort(comm, 1);
    _exit(1);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

struct NodeWatch::Node {
  MPI_Comm comm;
  int at_end;    // key of the attribute that MPI_Finalize() deletes first

  explicit Node(MPI_Comm parent)
  {
    int rank;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
  }

  /** The ranks of the node, named by their numbers in the parent. */
  std::vector<RankProcess> processes(MPI_Comm parent) const
  {
    RankProcess mine;
    int n;
    MPI_Comm_rank(parent, &mine.rank);
    MPI_Comm_size(comm, &n);
    mine.process = ProcessIdentity::self();
    std::vector<RankProcess> all(n);
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, comm);
    return all;
  }

  /** Returns: whether all ranks of the node have come. */
  bool meet() const
  {
    const auto start = Clock::now();
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      if (Clock::now() - start > PATIENCE_AT_END) return false;
      std::this_thread::yield();
    }
    return true;
  }

  static int delete_attribute(MPI_Comm, int, void *watch, void *)
  {
    static_cast<NodeWatch *>(watch)->watch_.reset();
    return MPI_SUCCESS;
  }
};

/* ---------------------------------------------------------------------- */

NodeWatch::NodeWatch(const void *comm, const std::string &name,
                     const std::function<void(const std::string &)> &warn)
{
  const MPI_Comm parent = *static_cast<const MPI_Comm *>(comm);
  node_ = std::make_unique<Node>(parent);
  int me;
  MPI_Comm_rank(parent, &me);
  const std::vector<RankProcess> processes = node_->processes(parent);
  try {
    watch_ = std::make_unique<RankWatch>(
        me, processes, GRACE, [=](const std::string &why) { end_job(parent, name, why); });
  } catch (const std::system_error &failure) {
    if (warn)
      warn("rank " + std::to_string(me) +
           " cannot watch whether others have ended: " + failure.what());
  }
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, Node::delete_attribute, &node_->at_end, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, node_->at_end, this);
}

/* ----------------------------------------------------------------------
   a communicator that some ranks have never entered is not freed
------------------------------------------------------------------------- */

NodeWatch::~NodeWatch()
{
  watch_.reset();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  MPI_Comm_delete_attr(MPI_COMM_SELF, node_->at_end);
  MPI_Comm_free_keyval(&node_->at_end);
  if (node_->meet()) MPI_Comm_free(&node_->comm);
}

}    // namespace TOFU_NS
