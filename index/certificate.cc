#include "index/certificate.h"

#include <algorithm>

#include "base/try.h"

namespace embd {
namespace {

/// Returns the first k hits whose id is not `own`.
std::vector<Hit> others(const std::vector<Hit>& hits, std::uint64_t own, std::size_t k) {
  std::vector<Hit> kept;
  for (const Hit& hit : hits) {
    if (hit.id != own && kept.size() < k) kept.push_back(hit);
  }
  return kept;
}

}  // namespace

Result<Certificate> certify(const Index& index, std::uint64_t num_queries,
                            const SearchOptions& options) {
  const std::vector<std::uint64_t> ids = index.ids();
  Certificate certificate = {.expansion = index.info().kind == IndexKind::hnsw ? options.expansion
                                                                               : options.window};
  certificate.queries = std::min<std::uint64_t>(num_queries, ids.size());
  if (certificate.queries == 0) return certificate;
  certificate.unreached = index.num_unreached();

  Matrix queries(certificate.queries, index.info().dim);
  std::vector<std::uint64_t> own(certificate.queries);
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    const std::uint64_t place = q * ids.size() / queries.rows();
    own[q] = ids[place];
    EMBD_TRY(index.read_rows(place, 1, queries.row(q)));
  }
  SearchOptions exact = options;
  exact.exact = true;
  const std::size_t k = certificate.k;
  const auto found = EMBD_TRY(index.search(queries, k + 1, options));
  const auto expected = EMBD_TRY(index.search(queries, k + 1, exact));
  std::size_t common = 0;
  std::size_t all = 0;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    const auto nearest = others(expected[q], own[q], k);
    // Among equally near rows, any one counts as found.
    const float farthest = nearest.empty() ? 0 : nearest.back().distance;
    for (const Hit& hit : others(found[q], own[q], nearest.size())) {
      common += hit.distance <= farthest ? 1U : 0U;
    }
    all += nearest.size();
  }
  certificate.recall = all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
  return certificate;
}

}  // namespace embd
