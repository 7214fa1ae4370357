#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "base/cpu.h"
#include "base/mapped_file.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/read_options.h"
#include "cli/standard_output.h"
#include "embd/index.h"
#include "formats/svs/svs_reader.h"
#include "index/exact.h"
#include "jobs/recipe_options.h"
#include "jobs/row_ids.h"
#include "jobs/word_search.h"

namespace embd::cli {
namespace {

struct Options {
  std::string index;
  ReadOptions read;
  std::string metric = "cos";  ///< of a vector set, which has none of its own
  std::size_t k = 10;
  SearchOptions search;
  std::string filter_ids;  ///< one id a line; empty: none
  std::string texts;       ///< line i is the text of row i; empty: none

  // Queries: vectors, or texts and the model to embed them with.
  std::string queries;
  std::vector<std::string> query_texts;
  std::string query_file;
  ModelOptions model;
  bool words = false;                  ///< texts are words of a finalfusion file
  std::vector<std::string> analogies;  ///< three words each
  bool force = false;
};

/// Lines of a text file: LF or CRLF end one, the last may go without.
class Lines {
 public:
  static Result<Lines> open(const std::filesystem::path& path) {
    Lines lines(EMBD_TRY(MappedFile::open(path)));
    std::string_view rest = as_text(lines.file_.bytes());
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines.lines_.push_back(line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
  }
  std::size_t size() const noexcept { return lines_.size(); }
  std::string_view operator[](std::size_t i) const noexcept { return lines_[i]; }

 private:
  explicit Lines(MappedFile file) : file_(std::move(file)) {}
  MappedFile file_;
  std::vector<std::string_view> lines_;
};

Result<Matrix> read_rows(const VectorReader& reader) {
  Matrix rows(reader.info().num_rows, reader.info().dim);
  EMBD_TRY(reader.read(0, reader.info().num_rows, rows.values()));
  return rows;
}

/// The rows that are searched: by an index, or as they are.
struct Target {
  std::unique_ptr<VectorReader> vectors;
  Ids ids;  // as the set names its rows
  std::optional<Index> index;
  Matrix rows;  // without an index

  std::size_t num_rows() const { return vectors->info().num_rows; }
};

Result<Target> open_target(const Options& request) {
  Target target;
  target.vectors = EMBD_TRY(open_vectors(request.index, request.read));
  target.ids = EMBD_TRY(target.vectors->ids());
  return target;
}

/// What an index in memory gains on so many queries is what it takes to read and prepare it.
constexpr std::size_t many_queries = 1000;

Result<void> load_rows(const Options& request, std::size_t num_queries, Target& target) {
  if (target.vectors->info().format == "usearch" || svs::is_vamana(request.index)) {
    OpenOptions options;
    options.metric = metric_from_name(request.metric).value_or(Metric::cos);
    const auto open = num_queries < many_queries ? Index::view : Index::open;
    target.index = EMBD_TRY(open(request.index, options));
  } else {
    target.rows = EMBD_TRY(read_rows(*target.vectors));
  }
  return {};
}

/// Texts to search for, of the command line and of the file.
Result<std::vector<std::string>> query_texts(const Options& request) {
  std::vector<std::string> texts = request.query_texts;
  if (request.query_file.empty()) return texts;
  const Lines lines = EMBD_TRY(Lines::open(request.query_file));
  for (std::size_t i = 0; i < lines.size(); ++i) texts.emplace_back(lines[i]);
  return texts;
}

Result<Matrix> embed_queries(const Options& request, const std::optional<Recipe>& recipe) {
  const std::vector<std::string> owned = EMBD_TRY(query_texts(request));
  const std::vector<std::string_view> texts(owned.begin(), owned.end());
  const Model model = EMBD_TRY(open_model(request.model));
  EncodeOptions options = request.model.encode;
  options.threads = request.search.threads;
  if (recipe) {
    options = options_of(*recipe, options, model);
    // A query is one vector with a prompt of its own.
    options.prompt = request.model.encode.prompt;
    options.windows = Windows::none;
    options.stride = 0;
    EMBD_TRY(check_recipe(*recipe, model, options, request.index, request.force));
  }
  return model.encode(texts, options);
}

Result<Matrix> load_queries(const Options& request, const std::optional<Recipe>& recipe) {
  if (request.queries.empty()) return embed_queries(request, recipe);
  const auto reader = EMBD_TRY(open_vectors(request.queries));
  const std::optional<Recipe> theirs = EMBD_TRY(reader->recipe());
  if (recipe && theirs)
    EMBD_TRY(check_recipes(*recipe, *theirs, request.index, request.queries, request.force));
  return read_rows(*reader);
}

std::string id_text(const Ids& ids, std::size_t row) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
    return nlohmann::json((*strings)[row])
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) {
    return fmt::to_string((*numbers)[row]);
  }
  return fmt::to_string(row);
}

/// Rows whose id is a line of the file.
Result<std::vector<std::uint32_t>> filtered_rows(const std::filesystem::path& path,
                                                 const Target& target) {
  const Lines lines = EMBD_TRY(Lines::open(path));
  std::unordered_set<std::string_view> wanted;
  for (std::size_t i = 0; i < lines.size(); ++i) wanted.insert(lines[i]);
  std::vector<std::uint32_t> rows;
  const std::vector<std::string> ids = id_strings(target.ids, target.num_rows());
  for (std::uint32_t row = 0; row < ids.size(); ++row) {
    if (wanted.contains(ids[row])) rows.push_back(row);
  }
  return rows;
}

Result<RowHits> search_graph(const Options& request, const Target& target, MatrixView queries) {
  // The index knows its rows by key; the set names them in the order of its slots.
  const std::vector<std::uint64_t> keys = target.index->ids();
  std::unordered_map<std::uint64_t, std::size_t> row_of;
  row_of.reserve(keys.size());
  for (std::size_t row = 0; row < keys.size(); ++row) row_of.emplace(keys[row], row);
  SearchOptions options = request.search;
  std::optional<IdFilter> filter;
  if (!request.filter_ids.empty()) {
    std::vector<std::uint64_t> allowed;
    for (const std::uint32_t row : EMBD_TRY(filtered_rows(request.filter_ids, target))) {
      allowed.push_back(keys[row]);
    }
    filter = EMBD_TRY(target.index->filter(allowed));
    options.filter = &*filter;
  }
  const auto found = EMBD_TRY(target.index->search(queries, request.k, options));
  RowHits hits(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (const Hit& hit : found[q]) hits[q].push_back({row_of.at(hit.id), hit.distance});
  }
  return hits;
}

Result<RowHits> search_rows(const Options& request, const Target& target, MatrixView queries) {
  const MatrixView rows = target.rows;
  if (rows.rows() == 0) return RowHits(queries.rows());  // It may not say its dimension.
  if (queries.cols() != rows.cols()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("queries of {} values; the rows have {}", queries.cols(), rows.cols()));
  }
  const Distance distance = EMBD_TRY(Distance::create(
      metric_from_name(request.metric).value_or(Metric::cos), ElementType::f32, rows.cols()));
  const auto stored = [](MatrixView matrix) {
    return StoredRows{reinterpret_cast<const std::byte*>(matrix.data()), 4 * matrix.cols(),
                      nullptr};
  };
  std::optional<IdFilter> filter;
  if (!request.filter_ids.empty()) {
    filter.emplace(EMBD_TRY(filtered_rows(request.filter_ids, target)), rows.rows());
  }
  const int threads = request.search.threads > 0 ? request.search.threads : available_threads();
  const RowChoice choice = {.filter = filter ? &*filter : nullptr};
  const auto found = EMBD_TRY(exact_search(distance, stored(queries), queries.rows(), stored(rows),
                                           rows.rows(), request.k, choice, threads));
  RowHits hits(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (const auto& [d, slot] : found[q]) hits[q].push_back({slot, d});
  }
  return hits;
}

Result<RowHits> search_vectors(const Options& request, Target& target) {
  const Matrix queries = EMBD_TRY(load_queries(request, EMBD_TRY(target.vectors->recipe())));
  EMBD_TRY(load_rows(request, queries.rows(), target));
  return target.index ? search_graph(request, target, queries)
                      : search_rows(request, target, queries);
}

/// Texts are words if that is said, and where the rows are words' and no model's.
Result<bool> asks_for_words(const Options& request, const Target& target) {
  const bool finalfusion = target.vectors->info().format == "finalfusion";
  const bool said = request.words || !request.analogies.empty();
  if (said && !finalfusion) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has no words: it is {}, not finalfusion", request.index,
                            target.vectors->info().format));
  }
  if (said && request.metric != "cos" && request.metric != "ip")
    return fail(ErrorCode::invalid_argument, "words are compared by their dot product");
  if (said || !finalfusion || !request.queries.empty()) return said;
  return !EMBD_TRY(target.vectors->recipe()).has_value();
}

Result<RowHits> search_vocabulary(const Options& request, const Target& target) {
  WordQueries queries;
  queries.words = EMBD_TRY(query_texts(request));
  for (std::size_t i = 0; i + 2 < request.analogies.size(); i += 3)
    queries.analogies.push_back(
        {request.analogies[i], request.analogies[i + 1], request.analogies[i + 2]});
  std::optional<std::unordered_set<std::size_t>> allowed;
  if (!request.filter_ids.empty()) {
    const auto rows = EMBD_TRY(filtered_rows(request.filter_ids, target));
    allowed.emplace(rows.begin(), rows.end());
  }
  return search_words(request.index, queries, request.k, allowed);
}

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string hits_line(std::size_t query, std::span<const RowHit> hits, const Ids& ids,
                      const std::optional<Lines>& texts) {
  std::string line = fmt::format("{{\"query\":{},\"hits\":[", query);
  for (const RowHit& hit : hits) {
    if (!line.ends_with('[')) line += ',';
    line += fmt::format("{{\"id\":{},\"distance\":", id_text(ids, hit.row));
    line += std::isfinite(hit.distance) ? fmt::to_string(hit.distance) : "null";
    if (texts) line += ",\"text\":" + json_text((*texts)[hit.row]);
    line += '}';
  }
  return line + "]}\n";
}

Result<ExitCode> run(const Options& request) {
  if (request.queries.empty() && request.query_texts.empty() && request.query_file.empty() &&
      request.analogies.empty()) {
    return fail(ErrorCode::invalid_argument,
                "nothing to search for: -q, --query-file, --queries or --analogy");
  }
  Target target = EMBD_TRY(open_target(request));
  std::optional<Lines> texts;
  if (!request.texts.empty()) {
    texts = EMBD_TRY(Lines::open(request.texts));
    if (texts->size() < target.num_rows()) {
      return std::unexpected(
          Error(ErrorCode::bad_count,
                fmt::format("{} lines for {} rows", texts->size(), target.num_rows()))
              .in_file(request.texts));
    }
  }
  const RowHits found =
      EMBD_TRY(EMBD_TRY(asks_for_words(request, target)) ? search_vocabulary(request, target)
                                                         : search_vectors(request, target));
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  for (std::size_t q = 0; q < found.size(); ++q) {
    EMBD_TRY(out.print(hits_line(q, found[q], target.ids, texts)));
  }
  EMBD_TRY(out.finish());
  return ExitCode::good;
}

}  // namespace

void add_search(Commands& commands) {
  const auto options = std::make_shared<Options>();
  CLI::App& verb =
      commands.add(commands.app(), "search", "Find the rows nearest to texts or vectors",
                   [options] { return run(*options); });
  SearchOptions& search = options->search;
  verb.add_option("INDEX", options->index, "An index, or any vector set (compared row by row)")
      ->required();
  verb.add_option("-q,--query", options->query_texts, "A text to search for; repeatable")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  verb.add_option("--query-file", options->query_file, "Texts to search for, one a line")
      ->type_name("TEXTS");
  verb.add_option("--queries", options->queries, "Vectors to search for, such as .npy")
      ->type_name("FILE")
      ->excludes("--query", "--query-file");
  verb.add_flag("--words", options->words,
                "Queries are words of a .fifu file, as they are where it has no recipe")
      ->excludes("--queries");
  verb.add_option("--analogy", options->analogies, "A is to B as C is to what? Words of a .fifu")
      ->expected(3)
      ->excludes("--queries")
      ->type_name("A B C");
  verb.add_option("-k", options->k, "Hits a query (10)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--expansion", search.expansion, "Candidates kept on the way (64)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--window", search.window, "Vamana: candidates kept on the way (64)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--capacity", search.capacity, "Vamana: of them, kept for the choice (window)")
      ->type_name("N");
  verb.add_flag("--exact", search.exact, "Compare with every row");
  verb.add_option("--metric", options->metric,
                  "Where the file does not say: vector sets and SVS (cos)")
      ->check(CLI::IsMember({"cos", "ip", "l2", "l2sq"}))
      ->type_name("cos|ip|l2");
  verb.add_option("--filter-ids", options->filter_ids, "Only rows whose id is a line of FILE")
      ->type_name("FILE");
  verb.add_option("--texts", options->texts, "Print line i of FILE with a hit of row i")
      ->type_name("FILE");
  add_read_options(verb, options->read);
  add_model_options(verb, options->model);
  verb.add_option("--prompt", options->model.encode.prompt, "Put before every query")
      ->type_name("TEXT");
  verb.add_flag("--force", options->force, "Even if queries and rows have different recipes");
  verb.add_option("-t,--threads", search.threads,
                  "Busy threads (what affinity and the cgroup allow)")
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
}

}  // namespace embd::cli
