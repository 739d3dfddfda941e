// SPDX-License-Identifier: GPL-2.0-only

#include "bootstrap_mpi.h"

#include <mpi.h>
#include <random>

namespace TOFU_NS {

namespace {

  class MpiBootstrap : public Bootstrap {
   public:
    MpiBootstrap(MPI_Comm comm, int node_size) : comm_(comm)
    {
      MPI_Comm_rank(comm_, &rank_);
      MPI_Comm_size(comm_, &size_);
      find_node(node_size);
      if (rank_ == 0) {
        std::random_device device;
        job_id_ = (static_cast<std::uint64_t>(device()) << 32) ^ device();
      }
      MPI_Bcast(&job_id_, 1, MPI_UINT64_T, 0, comm_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int node() const override { return node_; }
    int ranks_on_node() const override { return ranks_on_node_; }
    std::uint64_t job_id() const override { return job_id_; }

    void exchange(const std::vector<int> &peers, const void *send, void *recv,
                  std::size_t nbytes) override
    {
      std::vector<MPI_Request> requests(2 * peers.size());
      for (std::size_t i = 0; i < peers.size(); i++) {
        MPI_Irecv(static_cast<char *>(recv) + i * nbytes, static_cast<int>(nbytes), MPI_BYTE,
                  peers[i], 0, comm_, &requests[2 * i]);
        MPI_Isend(static_cast<const char *>(send) + i * nbytes, static_cast<int>(nbytes), MPI_BYTE,
                  peers[i], 0, comm_, &requests[2 * i + 1]);
      }
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

   private:
    // a node is known by its lowest rank; the true number of ranks that share the cores counts
    // even where nodes are pretended

    void find_node(int node_size)
    {
      MPI_Comm shared;
      MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &shared);
      MPI_Comm_size(shared, &ranks_on_node_);
      MPI_Allreduce(&rank_, &node_, 1, MPI_INT, MPI_MIN, shared);
      MPI_Comm_free(&shared);
      if (node_size > 0) node_ = node_ * (size_ / node_size + 1) + rank_ / node_size;
    }

    MPI_Comm comm_;
    int rank_ = 0, size_ = 1, node_ = 0, ranks_on_node_ = 1;
    std::uint64_t job_id_ = 0;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Bootstrap> make_mpi_bootstrap(const void *comm, int node_size)
{
  return std::make_unique<MpiBootstrap>(*static_cast<const MPI_Comm *>(comm), node_size);
}

}    // namespace TOFU_NS
