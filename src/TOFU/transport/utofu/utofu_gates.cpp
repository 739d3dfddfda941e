// SPDX-License-Identifier: GPL-2.0-only

#ifdef TOFU_UTOFU

#include "utofu_gates.h"

#include "utofu_endpoint.h"

#include <algorithm>
#include <cstdlib>

namespace TOFU_NS {

namespace {

  /** The gates of a chain.  The start signals the value of this rank to a relay, which adds what
      comes from the rank before and hands the sum on to the next.  From the master, the last, the
      total goes back through another relay of each rank, which signals it to the start. */
  struct GatesOfChain {
    enum { START, ADD, BACK };

    utofu_vbg_id_t ids[3];
    std::size_t n;    // the master has no way back
    bool running;
  };

  class UtofuGates : public GateChains {
   public:
    UtofuGates(int nranks, int me) : nranks_(nranks), me_(me) {}

    // gates that are in use cannot be given back

    ~UtofuGates() override
    {
      for (GatesOfChain &gates : chains_)
        if (!gates.running) utofu_free_vbg(gates.ids, gates.n);
    }

    /** On any interface that has free ones; chains begin with different interfaces. */
    bool allocate(std::string &why)
    {
      utofu_tni_id_t *ids = nullptr;
      std::size_t n = 0;
      int code = utofu_get_barrier_tnis(&ids, &n);
      const std::vector<utofu_tni_id_t> interfaces(ids, ids + (code == UTOFU_SUCCESS ? n : 0));
      std::free(ids);
      for (int chain = 0; chain < nranks_; chain++) {
        GatesOfChain gates{{}, chain == me_ ? std::size_t(2) : std::size_t(3), false};
        bool found = false;
        for (std::size_t k = 0; k < interfaces.size() && !found; k++) {
          const std::size_t i = (static_cast<std::size_t>(chain) + k) % interfaces.size();
          code = utofu_alloc_vbg(interfaces[i], gates.n, UTOFU_VBG_FLAG_THREAD_SAFE, gates.ids);
          found = code == UTOFU_SUCCESS;
        }
        if (!found) {
          why = utofu_message("barrier gates", code);
          return false;
        }
        chains_.push_back(gates);
        relays_.push_back(gates.ids[GatesOfChain::ADD]);
        relays_.push_back(gates.ids[gates.n - 1]);    // that the rank before gets the total from
      }
      return true;
    }

    const std::vector<std::uint64_t> &relays() const override { return relays_; }

    bool link(const std::vector<std::uint64_t> &previous, const std::vector<std::uint64_t> &next,
              std::string &why) override
    {
      for (int chain = 0; chain < nranks_; chain++) {
        const bool is_first = (chain + 1) % nranks_ == me_, is_last = chain == me_;
        const utofu_vbg_id_t *const own = chains_[chain].ids;
        const utofu_vbg_id_t from_before = is_first ? UTOFU_VBG_ID_NULL : previous[2 * chain];
        const utofu_vbg_id_t back_to = is_first ? UTOFU_VBG_ID_NULL : previous[2 * chain + 1];
        const utofu_vbg_id_t none = UTOFU_VBG_ID_NULL, start = own[0], add = own[1];
        utofu_vbg_setting settings[3] = {{start, own[chains_[chain].n - 1], none, add, none, {}},
                                         {add, start, from_before, none, next[2 * chain], {}},
                                         {own[2], none, next[2 * chain + 1], start, back_to, {}}};
        if (is_last) settings[1] = {add, start, from_before, start, back_to, {}};
        for (utofu_vbg_setting &setting : settings)
          setting.dst_path_coords[0] = UTOFU_PATH_COORD_NULL;    // automatic
        const int code = utofu_set_vbg(settings, chains_[chain].n);
        if (code != UTOFU_SUCCESS) {
          why = utofu_message("links of barrier gates", code);
          return false;
        }
      }
      return true;
    }

    void start(int chain, Sum sum, const Values &values, std::size_t n) override
    {
      GatesOfChain &gates = chains_[chain];
      Values copy = values;    // the calls take no pointer to const
      int code;
      if (sum == Sum::DOUBLES)
        code = utofu_reduce_double(gates.ids[0], UTOFU_REDUCE_OP_BFPSUM, copy.doubles, n, 0);
      else
        code = utofu_reduce_uint64(gates.ids[0],
                                   sum == Sum::WORDS ? UTOFU_REDUCE_OP_SUM : UTOFU_REDUCE_OP_MAX,
                                   copy.words, n, 0);
      require(code);
      gates.running = true;
    }

    bool done(int chain, Sum sum, Values &values) override
    {
      GatesOfChain &gates = chains_[chain];
      const int code = sum == Sum::DOUBLES
          ? utofu_poll_reduce_double(gates.ids[0], 0, values.doubles)
          : utofu_poll_reduce_uint64(gates.ids[0], 0, values.words);
      if (code == UTOFU_ERR_NOT_COMPLETED) return false;
      require(code);
      gates.running = false;
      return true;
    }

   private:
    static void require(int code)
    {
      if (code != UTOFU_SUCCESS)
        throw TransportError(utofu_message("a sum over barrier gates", code));
    }

    const int nranks_, me_;
    std::vector<GatesOfChain> chains_;    // [nranks] by master
    std::vector<std::uint64_t> relays_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<GateChains> make_utofu_gates(int nranks, int me, std::string &why)
{
  auto gates = std::make_unique<UtofuGates>(nranks, me);
  if (!gates->allocate(why)) return nullptr;
  return gates;
}

}    // namespace TOFU_NS

#endif
