#include "cli/index_options.h"

#include "formats/usearch/usearch_scalar.h"

namespace embd::cli {
namespace {

constexpr ElementType last_type = ElementType::e2m3;

constexpr std::array<Metric, 10> metrics = {
    Metric::cos,        Metric::ip,      Metric::l2sq,     Metric::pearson,  Metric::haversine,
    Metric::divergence, Metric::hamming, Metric::tanimoto, Metric::sorensen, Metric::jaccard};

std::vector<std::string> metric_names() {
  std::vector<std::string> names = {"l2"};
  for (const Metric metric : metrics) names.emplace_back(metric_name(metric));
  return names;
}

std::vector<ElementType> scalars() {
  std::vector<ElementType> types;
  for (int i = 0; i <= static_cast<int>(last_type); ++i) {
    const auto type = static_cast<ElementType>(i);
    if (usearch::is_scalar(type)) types.push_back(type);
  }
  return types;
}

std::vector<std::string> scalar_names() {
  std::vector<std::string> names;
  for (const ElementType type : scalars()) names.emplace_back(element_name(type));
  return names;
}

}  // namespace

void add_hnsw_options(CLI::App& verb, IndexOptions& options) {
  verb.add_option_function<std::string>(
          "--metric",
          [&options](const std::string& name) {
            options.metric = metric_from_name(name).value_or(options.metric);
          },
          "Index: how far two rows are apart (cos)")
      ->check(CLI::IsMember(metric_names()))
      ->type_name("METRIC");
  verb.add_option_function<std::string>(
          "--scalar",
          [&options](const std::string& name) {
            for (const ElementType type : scalars())
              if (element_name(type) == name) options.scalar = type;
          },
          "Index: how rows are stored (f32)")
      ->check(CLI::IsMember(scalar_names()))
      ->type_name("TYPE");
  verb.add_option("--connectivity", options.connectivity, "USearch: links of a row (16)")
      ->type_name("N");
  verb.add_option("--expansion-add", options.expansion_add,
                  "USearch: candidates kept while a row's links are chosen (128)")
      ->type_name("N");
  verb.add_option_function<std::string>(
          "--builder",
          [&options](const std::string& name) {
            options.builder = name == "usearch" ? Builder::usearch : Builder::parallel;
          },
          "USearch: on all threads, or one row after the other by its own rules (parallel)")
      ->check(CLI::IsMember({"parallel", "usearch"}))
      ->type_name("parallel|usearch");
}

}  // namespace embd::cli
