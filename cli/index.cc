#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/read_options.h"
#include "formats/ids.h"
#include "formats/sidecar.h"
#include "index/certificate.h"
#include "index/usearch_format.h"

namespace embd::cli {
namespace {

struct Options {
  std::string vectors;
  std::string output;
  ReadOptions read;
  IndexOptions index;
  /// Rows whose neighbours are checked against exact search; 0: none.
  std::uint64_t certify = 0;
};

const std::map<std::string, Metric> kMetrics = {
    {"cos", Metric::cos},
    {"ip", Metric::ip},
    {"l2", Metric::l2sq},
    {"l2sq", Metric::l2sq},
    {"pearson", Metric::pearson},
    {"haversine", Metric::haversine},
    {"divergence", Metric::divergence},
    {"hamming", Metric::hamming},
    {"tanimoto", Metric::tanimoto},
    {"sorensen", Metric::sorensen},
    {"jaccard", Metric::jaccard},
};
const std::map<std::string, ElementType> kScalars = {
    {"f32", ElementType::f32},   {"f16", ElementType::f16},   {"bf16", ElementType::bf16},
    {"i8", ElementType::i8},     {"u8", ElementType::u8},     {"f64", ElementType::f64},
    {"b1", ElementType::b1},     {"e5m2", ElementType::e5m2}, {"e4m3", ElementType::e4m3},
    {"e3m2", ElementType::e3m2}, {"e2m3", ElementType::e2m3},
};

/// Rows read and handed on at a time.
constexpr std::uint64_t kChunkBytes = std::uint64_t{16} << 20;

Result<void> copy_rows(const VectorReader& from, VectorWriter& to) {
  const auto [rows, dim] = std::pair(from.info().num_rows, from.info().dim);
  const Ids ids = EMBD_TRY(from.ids());
  const std::uint64_t chunk = std::max<std::uint64_t>(1, kChunkBytes / (4 * dim));
  std::vector<float> values;
  for (std::uint64_t first = 0; first < rows; first += chunk) {
    const std::uint64_t count = std::min(chunk, rows - first);
    values.resize(count * dim);
    EMBD_TRY(from.read(first, count, values));
    EMBD_TRY(to.append({values.data(), count, dim}, slice_ids(ids, first, count)));
  }
  return to.finish();
}

/// Adds the member `certificate` to the file of the recipe, which may not be there yet.
Result<void> store(const Certificate& certificate, const std::filesystem::path& recipe_path) {
  nlohmann::json json = nlohmann::json::object();
  std::error_code error;
  if (std::filesystem::exists(recipe_path, error)) {
    const MappedFile file = EMBD_TRY(MappedFile::open(recipe_path));
    json = nlohmann::json::parse(as_text(file.bytes()), nullptr, false);
    if (!json.is_object()) return fail(ErrorCode::bad_json, "the recipe is no JSON object");
  }
  json["certificate"] = {
      {"queries", certificate.queries},
      {"k", certificate.k},
      {"expansion", certificate.expansion},
      {"recall", certificate.recall},
  };
  OutputFile out = EMBD_TRY(OutputFile::create(recipe_path));
  EMBD_TRY(out.write(as_bytes(json.dump() + "\n")));
  return out.finish();
}

/// The kind of index that a file name asks for.
Result<IndexKind> kind_of(const std::string& output) {
  const std::string_view name =
      output.ends_with('/') ? std::string_view(output).substr(0, output.size() - 1) : output;
  if (name.ends_with(".usearch")) return IndexKind::hnsw;
  if (name.ends_with(".svs")) return IndexKind::vamana;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} names no index; the extensions are .usearch and .svs", output));
}

Result<ExitCode> run(const Options& options) {
  const auto reader = EMBD_TRY(open_vectors(options.vectors, options.read));
  IndexOptions index_options = options.index;
  index_options.kind = EMBD_TRY(kind_of(options.output));
  WriteOptions write_options;
  write_options.recipe = EMBD_TRY(reader->recipe());
  const auto writer =
      with_sidecar(usearch::make_index_writer(options.output, reader->info().dim, index_options),
                   usearch::format, options.output, write_options);
  EMBD_TRY(copy_rows(*reader, *writer));
  if (options.certify > 0) {
    const Index index = EMBD_TRY(Index::open(options.output));
    SearchOptions search;
    search.threads = options.index.threads;
    EMBD_TRY(store(EMBD_TRY(certify(index, options.certify, search)), recipe_path(options.output)));
  }
  return ExitCode::good;
}

}  // namespace

void add_index(Commands& commands) {
  const auto options = std::make_shared<Options>();
  CLI::App& verb = commands.add(commands.app(), "index", "Build a search index over vectors",
                                [options] { return run(*options); });
  IndexOptions& index = options->index;
  verb.add_option("VECTORS", options->vectors, "A vector set in any readable format")->required();
  verb.add_option("-o,--output", options->output, "The index: .usearch (HNSW) or .svs (Vamana)")
      ->required()
      ->type_name("OUT");
  add_read_options(verb, options->read);
  verb.add_option_function<std::string>(
          "--metric", [&index](const std::string& name) { index.metric = kMetrics.at(name); },
          "How far two rows are apart (cos)")
      ->check(CLI::IsMember(kMetrics))
      ->type_name("METRIC");
  verb.add_option_function<std::string>(
          "--scalar", [&index](const std::string& name) { index.scalar = kScalars.at(name); },
          "How rows are stored (f32)")
      ->check(CLI::IsMember(kScalars))
      ->type_name("TYPE");
  verb.add_option("--connectivity", index.connectivity, "Links of a row (16)")->type_name("N");
  verb.add_option("--expansion-add", index.expansion_add,
                  "Candidates kept while a row's links are chosen (128)")
      ->type_name("N");
  verb.add_option_function<std::string>(
          "--builder",
          [&index](const std::string& name) {
            index.builder = name == "usearch" ? Builder::usearch : Builder::parallel;
          },
          "parallel: the same file on any number of threads; usearch: its rules, one thread")
      ->check(CLI::IsMember({"parallel", "usearch"}))
      ->type_name("parallel|usearch");
  verb.add_option("--degree", index.degree, "Vamana: links of a row (64)")->type_name("N");
  verb.add_option("--window", index.window, "Vamana: candidates kept while they are chosen (128)")
      ->type_name("N");
  verb.add_option("--alpha", index.alpha, "Vamana: how far links may reach (1.2; ip and cos 0.95)")
      ->type_name("X");
  verb.add_flag("--multi", index.multi, "Several rows may share an id");
  verb.add_option("-t,--threads", index.threads,
                  "Busy threads (what affinity and the cgroup allow)")
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  verb.add_option("--certify", options->certify,
                  "Measure recall@10 on N of the rows and store it in OUT.recipe.json")
      ->type_name("N");
}

}  // namespace embd::cli
