#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/index_options.h"
#include "cli/read_options.h"
#include "formats/ids.h"
#include "index/certificate.h"
#include "jobs/certificate_file.h"
#include "jobs/stored_codes.h"
#include "vectors/index_writer.h"
#include "vectors/sidecar.h"

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

/// Rows read and handed on at a time.
constexpr std::uint64_t chunk_bytes = std::uint64_t{16} << 20;

Result<void> copy_rows(const VectorReader& from, VectorWriter& to) {
  const auto [rows, dim] = std::pair(from.info().num_rows, from.info().dim);
  const Ids ids = EMBD_TRY(from.ids());
  const std::uint64_t chunk = std::max<std::uint64_t>(1, chunk_bytes / (4 * dim));
  std::vector<float> values;
  for (std::uint64_t first = 0; first < rows; first += chunk) {
    const std::uint64_t count = std::min(chunk, rows - first);
    values.resize(count * dim);
    EMBD_TRY(from.read(first, count, values));
    EMBD_TRY(to.append({values.data(), count, dim}, slice_ids(ids, first, count)));
  }
  return to.finish();
}

/// The kind of index that a file name asks for.
Result<IndexKind> kind_of(const std::string& output) {
  const std::string_view name =
      output.ends_with('/') ? std::string_view(output).substr(0, output.size() - 1) : output;
  if (name.ends_with(".usearch")) return IndexKind::hnsw;
  if (name.ends_with(".svs") || name.ends_with(".config")) return IndexKind::vamana;
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} names no index; the extensions are .usearch, .svs and .config", output));
}

Result<ExitCode> run(const Options& options) {
  const auto reader = EMBD_TRY(open_vectors(options.vectors, options.read));
  IndexOptions index_options = options.index;
  index_options.kind = EMBD_TRY(kind_of(options.output));
  const auto recipe = EMBD_TRY(reader->recipe());
  const Room room = {.ids = IdsInside::numbers, .recipe = index_options.kind == IndexKind::vamana};
  const auto writer = with_sidecar(
      EMBD_TRY(make_index_writer(options.output, reader->info().dim, index_options, recipe)), room,
      options.output, room.recipe ? std::nullopt : recipe, {});
  if (const auto ranges = EMBD_TRY(ranges_of(*reader, options.vectors)))
    EMBD_TRY(writer->set_ranges(*ranges));
  EMBD_TRY(copy_rows(*reader, *writer));
  if (options.certify > 0) {
    OpenOptions open;
    open.metric = index_options.metric;
    const Index index = EMBD_TRY(Index::open(options.output, open));
    SearchOptions search;
    search.threads = index_options.threads;
    const Certificate certificate = EMBD_TRY(certify(index, options.certify, search));
    EMBD_TRY(store_certificate(certificate, index.info().kind, options.output));
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
  verb.add_option("-o,--output", options->output,
                  "The index: .usearch (HNSW), or .svs or .config (Vamana)")
      ->required()
      ->type_name("OUT");
  add_read_options(verb, options->read);
  add_hnsw_options(verb, index);
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
