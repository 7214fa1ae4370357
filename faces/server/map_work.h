#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "faces/server/exchange.h"
#include "faces/server/index_map.h"

namespace embd::server {

class ServedIndex;
class Service;

/// A function that answers a call with the help of a map, at once or later on another thread.
using MapUser = std::function<Answerable<void>(const IndexMap&)>;

/// The map of an index, and the calls that wait for it.
struct SharedMap {
  struct Waiting {
    Call call;
    MapUser use;
  };

  std::mutex mutex;
  std::optional<IndexMap> map;   ///< does not change once it is set
  std::vector<Waiting> waiting;  ///< not empty while a worker makes the map
};

/// Calls `use` with the map of an index. The first call has a worker make the map. Calls that come
/// meanwhile wait without a thread. If the map cannot be made, all of them are answered with the
/// failure, and the next call tries again. Refuses the call with overloaded if the queue is full.
Answerable<void> with_map(Service& service, const ServedIndex& index, const Call& call,
                          const MapUser& use);

}  // namespace embd::server
