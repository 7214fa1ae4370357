#include "faces/server/map_work.h"

#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "faces/server/call_work.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// The time to make the map of a row, in tokens of the first model: 4,000 rows take about a second.
constexpr std::uint64_t tokens_per_row = 1;

/// Lets the calls that wait for a map go on: with the map, or with the failure to make it.
void release(SharedMap& shared, std::optional<IndexMap> made, const Failure& failure) {
  std::vector<SharedMap::Waiting> waiting;
  {
    const std::lock_guard lock(shared.mutex);
    shared.map = std::move(made);
    waiting.swap(shared.waiting);
  }
  for (const auto& [call, use] : waiting) {
    const auto went_on = guarded([&]() -> Result<void> {
      const auto used = shared.map ? use(*shared.map) : std::unexpected(failure);
      if (!used) call->fail(used.error());
      return {};
    });
    if (!went_on) call->fail(failure_of(went_on.error()));
  }
}

/// Makes the map of an index. It belongs to no call, so that it goes on if a client leaves.
class MapWork final : public Work {
 public:
  explicit MapWork(const ServedIndex& index) : index_(index) {
    costs = {std::max<std::uint64_t>(1, tokens_per_row * IndexMap::num_points(index.num_rows()))};
  }

  Result<void> run(std::span<const Slice>) override {
    made_ = EMBD_TRY(IndexMap::create(index_.searcher(), index_.texts()));
    return {};
  }

  void end(Ending, const std::optional<Error>& error) noexcept override {
    release(index_.shared_map(), std::move(made_),
            error ? failure_of(*error)
                  : Failure{Problem::draining, "the server is shutting down", {}, 1});
  }

 private:
  const ServedIndex& index_;
  std::optional<IndexMap> made_;
};

}  // namespace

Answerable<void> with_map(Service& service, const ServedIndex& index, const Call& call,
                          const MapUser& use) {
  SharedMap& shared = index.shared_map();
  {
    const std::lock_guard lock(shared.mutex);
    if (!shared.map) shared.waiting.push_back({call, use});
    if (shared.waiting.size() > 1) return {};  // The map is being made.
  }
  if (shared.map) return use(*shared.map);
  if (auto queued = submit(service, std::make_shared<MapWork>(index)); !queued)
    release(shared, std::nullopt, queued.error());
  return {};
}

}  // namespace embd::server
