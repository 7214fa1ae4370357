#include "cli/options/index_options.h"

#include <array>

#include "cli/options/values.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd::cli {
namespace {

constexpr ElementType last_type = ElementType::e2m3;

constexpr std::array<Metric, 10> metrics = {
    Metric::cos,        Metric::ip,      Metric::l2sq,     Metric::pearson,  Metric::haversine,
    Metric::divergence, Metric::hamming, Metric::tanimoto, Metric::sorensen, Metric::jaccard};

Choices<ElementType> scalars() {
  Choices<ElementType> types;
  for (int i = 0; i <= static_cast<int>(last_type); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (usearch::is_scalar(type)) types.emplace_back(element_name(type), type);
  }
  return types;
}

}  // namespace

Choices<Metric> metric_choices() {
  Choices<Metric> choices = {{"l2", Metric::l2sq}};
  for (const Metric metric : metrics) choices.emplace_back(metric_name(metric), metric);
  return choices;
}

void add_hnsw_options(Verb& verb, IndexOptions& options) {
  add_choice<Metric>(verb, "--metric", options.metric, metric_choices(),
                     "Index: how far two rows are apart (cos)")
      .type_name("METRIC");
  add_choice<ElementType>(verb, "--scalar", options.scalar, scalars(),
                          "Index: how rows are stored (f32)")
      .type_name("TYPE");
  add_number(verb, "--connectivity", options.connectivity, "USearch: links of a row (16)", 1);
  add_number(verb, "--expansion-add", options.expansion_add,
             "USearch: candidates kept while a row's links are chosen (128)", 1);
  add_choice<Builder>(
      verb, "--builder", options.builder,
      {{"parallel", Builder::parallel}, {"usearch", Builder::usearch}},
      "USearch: on all threads, or one row after the other by its own rules (parallel)");
}

void add_vamana_options(Verb& verb, IndexOptions& options) {
  add_number(verb, "--degree", options.degree, "Vamana: links of a row (64)", 1);
  add_number(verb, "--window", options.window,
             "Vamana: candidates kept while they are chosen (128)", 1);
  add_real(verb, "--alpha", options.alpha,
           "Vamana: how far links may reach (1.2; ip and cos 0.93)");
}

}  // namespace embd::cli
