#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/messages.h"
#include "base/os/signals.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/collect.h"
#include "embd/searcher.h"
#include "faces/cli/commands.h"
#include "faces/cli/hits.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/text_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/options/verb.h"
#include "faces/cli/printing.h"
#include "jobs/options/vector_lists.h"
#include "jobs/sets/format_table.h"

namespace embd::cli {
namespace {

/// The arguments of `embd search`.
struct SearchRequest {
  std::vector<std::filesystem::path> shards;
  bool in_collection = false;  ///< `shards` is a collection
  SearcherOptions searcher;
  std::size_t k = 10;
  std::optional<Match> match;  ///< unset: both if there is a term index, else vectors
  SearchOptions search;
  std::string filter_ids;    ///< a file with an id on each line; empty: none
  RowConditions conditions;  ///< on the columns of rows
  std::string texts;         ///< a file of the rows' texts; empty: none
  InputOptions input;        ///< for reading `texts`, otherwise `query_file`
  bool json = false;
  HitFormat format = HitFormat::automatic;
  bool similarity = false;
  std::string reranker;          ///< a reranker that ranks the hits; empty: none
  std::size_t candidates = 100;  ///< the number of hits to rank, at least k

  // The queries: vectors, or texts and the model that embeds them.
  std::string queries;
  std::vector<std::string> query_texts;
  std::string query_file;
  std::string query_field;  ///< the field of `query_file`; empty: that of `input`, or "text"
  ModelOptions model;
  bool keep_model_hash = true;
  QueryOptions query;
  bool words = false;                  ///< queries are words of a finalfusion file
  std::vector<std::string> analogies;  ///< words A, B, C of each analogy
  const Verb* verb = nullptr;
};

/// Looks whether a collection is to be searched, and takes its model.
Result<void> look_for_collection(SearchRequest& options) {
  options.in_collection = options.shards.size() == 1 && is_collection(options.shards.front());
  if (!options.in_collection) return {};
  if (!options.searcher.terms.empty())
    return fail(ErrorCode::invalid_argument,
                "a collection has a term index of its own: leave --terms out");
  take_model_of(EMBD_TRY(collection_info(options.shards.front())), options.model);
  return {};
}

/// The searcher, and its collection if it has one.
struct Opened {
  std::optional<Collection> collection;
  Searcher searcher;
};

Result<Opened> open_searched(const SearchRequest& options) {
  if (!options.in_collection) {
    Searcher searcher = EMBD_TRY(Searcher::open(options.shards, options.searcher));
    return Opened{std::nullopt, std::move(searcher)};
  }
  auto opened = EMBD_TRY(search_collection(options.shards.front(), options.searcher));
  return Opened{std::move(opened.collection), std::move(opened.searcher)};
}

/// Says which hits are of documents that are not as they were.
void say_stale(const Hits& hits, const std::filesystem::path& folder) {
  std::uint64_t num_stale = 0;
  for (const std::vector<Hit>& of_query : hits)
    num_stale += static_cast<std::uint64_t>(std::ranges::count_if(of_query, [](const Hit& hit) {
      return hit.place && hit.place->state != DocumentState::unchanged;
    }));
  if (num_stale > 0)
    say("embd: note: {} from files that have changed or are gone: embd collect -o {} brings the "
        "collection up to date\n",
        counted(num_stale, "hit"), printable(text_of_path(folder)));
}

bool has_terms(const SearchRequest& options) {
  return options.in_collection || !options.searcher.terms.empty();
}

Match match_of(const SearchRequest& options) {
  return options.match.value_or(has_terms(options) ? Match::both : Match::vectors);
}

void add_query_options(Verb& verb, SearchRequest& options) {
  using enum OptionGroup;
  verb.add_option(
          "-q,--query", options.query_texts,
          "A text to search for; repeatable; - reads texts from standard input, one on each line")
      .repeatable()
      .type_name("TEXT")
      .in(search);
  verb.add_option("--query-file", options.query_file,
                  "A file of texts to search for, one on each line, or .jsonl")
      .type_name("TEXTS")
      .in(search);
  verb.add_option("--query-field", options.query_field,
                  "Field of --query-file that holds the query (text)")
      .needs("--query-file")
      .type_name("NAME")
      .in(input);
  verb.add_option(
          "--queries", options.queries,
          "A file of vectors to search for, such as .npy; packed bits (uint8) for rows of bits")
      .type_name("FILE")
      .excludes({"--query", "--query-file"})
      .in(search);
  verb.add_flag("--words", options.words,
                "Queries are words of a .fifu file; the default if the file has no recipe")
      .excludes({"--queries"})
      .in(search);
  verb.add_option("--analogy", options.analogies,
                  "Find the words of a .fifu file that are to C as B is to A")
      .expected(3, 3)
      .excludes({"--queries"})
      .type_name("A B C")
      .in(search);
  add_all_listed(verb, options.query, {"threads", "force"});
  verb.option("--prompt-name").excludes({"--prompt"});
}

void add_finding_options(Verb& verb, SearchRequest& options) {
  using enum OptionGroup;
  add_number(verb, "-k", options.k, "Number of hits for each query (10)", 1).in(search);
  add_all_listed(verb, options.search, {"threads"});
  add_listed<&SearcherOptions::metric>(verb, options.searcher.metric);
  add_listed<&SearcherOptions::terms>(verb, options.searcher.terms);
  add_choice(verb, "--match", options.match, choices_of(match_names),
             "Compare queries by their vectors, by their terms, or by both (both with --terms and "
             "for collections)")
      .in(search);
  verb.add_option("--filter-ids", options.filter_ids, "Find only rows whose id is a line of FILE")
      .type_name("FILE")
      .in(search);
  verb.add_parsed(
          "--filter",
          [&conditions = options.conditions](const std::string& text) -> Result<void> {
            conditions.add(EMBD_TRY(parse_condition(text)));
            return {};
          },
          "Find only rows whose value in the column is this one, or has another relation to it "
          "(!=, <, <=, >, >=); repeatable: a row must meet all conditions, and of several values "
          "after = it must have one")
      .repeatable()
      .type_name("NAME=VALUE")
      .in(search);
  verb.add_option("--texts", options.texts,
                  "Print text i of FILE with a hit of row i, or with --id-field the text of its id")
      .type_name("FILE")
      .in(search);
  verb.add_option("--rerank", options.reranker,
                  "Rank the nearest rows by a reranker that reads their texts")
      .type_name("MODEL")
      .in(search);
  add_number(verb, "--candidates", options.candidates,
             "Number of rows for each query that --rerank ranks (100)", 1)
      .needs("--rerank")
      .in(search);
  verb.add_flag("--json", options.json, "Print JSON Lines on a terminal, too, instead of a table")
      .in(output);
  add_choice<HitFormat>(
      verb, "--format", options.format,
      {{"auto", HitFormat::automatic}, {"json", HitFormat::json}, {"lines", HitFormat::lines}},
      "json: as --json; lines: collections: PATH:LINE:1:TEXT, for editors")
      .excludes({"--json"})
      .in(output);
  verb.add_flag("--similarity", options.similarity,
                "JSON Lines: print the similarity, 1 - distance, beside the distance (cos, ip)")
      .in(output);
  add_listed<&QueryOptions::force>(verb, options.query.force);
  add_threads(verb, options.search.threads);
}

/// Adds all options of `embd search`, but not the shards.
void add_search_options(Verb& verb, SearchRequest& options) {
  add_query_options(verb, options);
  add_finding_options(verb, options);
  add_text_options(verb, options.input);
  add_read_options(verb, options.searcher.read);
  add_model_options(verb, options.model);
  add_compute(verb, options.model.compute, "Arithmetic of the queries' weight matrices (f32)");
  add_keep_model_hash(verb, options.keep_model_hash);
}

/// The number of queries from which on it is worthwhile to read an index into memory.
constexpr std::size_t many_queries = 1000;

/// Checks that queries have texts if a reranker or a term index is used, because they are read.
Result<void> check_texts_of_queries(const SearchRequest& options) {
  if (options.queries.empty() && options.analogies.empty()) return {};
  if (options.reranker.empty() && match_of(options) == Match::vectors) return {};
  return fail(ErrorCode::invalid_argument,
              "{} needs queries that are texts: give them with -q or --query-file",
              options.reranker.empty() ? "--terms" : "--rerank");
}

Result<void> check_options(const SearchRequest& options, bool has_texts) {
  EMBD_TRY(check_input_scopes(*options.verb, options.shards, options.searcher.read));
  if (!has_texts && options.queries.empty() && options.analogies.empty()) {
    return fail(ErrorCode::invalid_argument,
                "no query was given, expected -q, --query-file, --queries or --analogy");
  }
  EMBD_TRY(check_texts_of_queries(options));
  if (options.match && !has_terms(options))
    return fail(ErrorCode::invalid_argument,
                "--match needs a term index: name it with --terms, or search a collection");
  if (options.format == HitFormat::lines && !options.in_collection)
    return fail(ErrorCode::invalid_argument,
                "--format lines prints the lines of documents, which only a collection has");
  for (const char* name : {"--model", "--vocab", "--prompt", "--prompt-name", "--compute"}) {
    if (options.queries.empty() || !options.verb->is_given(name)) continue;
    return fail(ErrorCode::invalid_argument,
                "{} applies to queries that are texts, but --queries names vectors: leave {} out",
                name, name);
  }
  EMBD_TRY(check_needs(*options.verb));
  const auto text_option = given_text_option(*options.verb);
  if (!text_option || !options.texts.empty() || !options.query_file.empty()) return {};
  return fail(ErrorCode::invalid_argument,
              "{} has no effect without --texts or --query-file: give one of them, or leave {} out",
              *text_option, *text_option);
}

/// Returns the options for reading the file of queries.
InputOptions query_input(const SearchRequest& options) {
  InputOptions input = options.texts.empty() ? options.input : InputOptions();
  if (!options.query_field.empty()) input.text_field = options.query_field;
  return input;
}

/// Returns true if texts are words to be looked up: if an option says so, or if the rows belong to
/// words and were not made by a model.
Result<bool> asks_for_words(const SearchRequest& options, const Searcher& searcher) {
  const bool said = options.words || !options.analogies.empty();
  const bool has_words = format_of(searcher.info()).has_words;
  if (said && !has_words) {
    return fail(ErrorCode::invalid_argument,
                "the file {} has the format {}, which contains no words: words and analogies are "
                "looked up in files of the format finalfusion",
                text_of_path(options.shards[0]), searcher.info().format);
  }
  if (said && match_of(options) != Match::vectors)
    return fail(ErrorCode::invalid_argument,
                "words and analogies are looked up by their vectors, not in a term index: leave "
                "--terms out");
  if (said && options.shards.size() > 1)
    return fail(ErrorCode::invalid_argument,
                "words can be looked up in one file only, but several files were named: name one");
  if (said && options.searcher.metric.value_or(Metric::cos) != Metric::cos &&
      options.searcher.metric != Metric::ip)
    return fail(ErrorCode::invalid_argument,
                "words are compared by their dot product, so no other metric can be chosen: leave "
                "--metric out");
  return said || (has_words && match_of(options) == Match::vectors && options.shards.size() == 1 &&
                  options.queries.empty() && !searcher.recipe());
}

std::uint64_t count_cuts(const std::vector<RankedRow>& rows) {
  return static_cast<std::uint64_t>(std::ranges::count(rows, true, &RankedRow::truncated));
}

/// Returns the hits, ranked by the reranker.
Result<RankedRows> ranked_hits(const SearchRequest& options, const Reranker& reranker,
                               const RowHits& found, const RowTexts& texts,
                               const std::vector<std::string>& queries,
                               const std::stop_token& stop) {
  const std::vector<std::string_view> views(queries.begin(), queries.end());
  RankedRows ranked = EMBD_TRY(rank_hits(reranker, {views, found, texts}, options.k,
                                         {.threads = options.search.threads}, stop));
  std::uint64_t num_cuts = 0;
  std::uint64_t num_pairs = 0;
  for (const std::vector<RankedRow>& rows : ranked) {
    num_cuts += count_cuts(rows);
    num_pairs += rows.size();
  }
  warn_of_cuts(num_cuts, num_pairs);
  return ranked;
}

/// Returns true if the terms of queries and texts are tokens of the model.
bool are_tokens(const Searcher& searcher) {
  return searcher.terms() != nullptr && searcher.terms()->info().recipe.kind == TermKind::tokens;
}

/// Returns the model that makes queries of texts; nothing if queries are vectors, words or terms
/// that need no model.
Result<std::optional<Model>> open_query_model(const SearchRequest& options,
                                              const Searcher& searcher) {
  if (!options.queries.empty() || EMBD_TRY(asks_for_words(options, searcher))) return std::nullopt;
  if (match_of(options) == Match::terms && !are_tokens(searcher)) return std::nullopt;
  Model model = EMBD_TRY(open_model(options.model));
  if (const std::string note = searcher.compute_note(model); !note.empty()) say("embd: {}\n", note);
  return model;
}

/// Returns the filter that the options ask for; nothing if all rows may be found.
Result<std::optional<RowFilter>> filter_of(const SearchRequest& options, const Searcher& searcher,
                                           const std::stop_token& stop) {
  if (options.filter_ids.empty() && options.conditions.columns.empty()) return std::nullopt;
  RowConditions conditions = options.conditions;
  if (!options.filter_ids.empty())
    conditions.ids = EMBD_TRY(read_texts(options.filter_ids, {.format = InputFormat::txt}, stop));
  return EMBD_TRY(searcher.filter(conditions));
}

/// Returns the queries as the searcher compares them.
Result<Queries> make_queries(const SearchRequest& options, const Searcher& searcher,
                             const std::optional<Model>& model,
                             const std::vector<std::string>& texts, const std::stop_token& stop) {
  if (!options.queries.empty()) return searcher.read_queries(options.queries, options.query.force);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  if (match_of(options) == Match::terms)
    return searcher.term_queries(views, model ? &*model : nullptr);
  return searcher.encode_queries(*model, views, options.query, stop);
}

Result<FoundRows> find(const SearchRequest& options, const Searcher& searcher,
                       const std::optional<Model>& model, const std::vector<std::string>& texts,
                       const std::stop_token& stop) {
  const std::size_t k =
      options.reranker.empty() ? options.k : std::max(options.k, options.candidates);
  const auto allowed = EMBD_TRY(filter_of(options, searcher, stop));
  const RowFilter* filter = allowed ? &*allowed : nullptr;
  if (options.queries.empty() && EMBD_TRY(asks_for_words(options, searcher))) {
    WordQueries queries = {.words = texts, .analogies = {}};
    for (std::size_t i = 0; i + 2 < options.analogies.size(); i += 3)
      queries.analogies.push_back(
          {options.analogies[i], options.analogies[i + 1], options.analogies[i + 2]});
    return EMBD_TRY(search_words(options.shards[0], queries, k, filter));
  }
  const Queries queries = EMBD_TRY(make_queries(options, searcher, model, texts, stop));
  switch (match_of(options)) {
    case Match::vectors:
      return EMBD_TRY(searcher.search(queries, k, options.search, filter, stop));
    case Match::terms:
      return EMBD_TRY(searcher.search_terms(queries, k, filter, stop));
    case Match::both:
      break;
  }
  return EMBD_TRY(searcher.search_both(queries, k, options.search, filter, stop));
}

Result<ExitCode> search(SearchRequest& options) {
  const os::Interrupt interrupt;
  EMBD_TRY(look_for_collection(options));
  const std::vector<std::string> texts = EMBD_TRY(
      read_queries({.texts = options.query_texts,
                    .file = options.query_file,
                    .input = query_input(options),
                    .is_standard_input_taken = options.texts == "-" || options.filter_ids == "-"},
                   interrupt.token()));
  EMBD_TRY(check_options(options, !texts.empty() || !options.query_file.empty()));
  options.query.threads = options.search.threads;
  options.model.hash_record = hash_record(options.keep_model_hash);
  std::uint64_t num_queries = texts.size();
  if (!options.queries.empty())
    num_queries = EMBD_TRY(open_vectors(options.queries))->info().num_rows;
  const std::optional<Reranker> reranker = EMBD_TRY(open_second_reranker(options.reranker));
  options.searcher.in_memory = num_queries >= many_queries;
  options.searcher.force = options.query.force;
  const auto [collection, searcher] = EMBD_TRY(open_searched(options));
  EMBD_TRY(check_index_scopes(*options.verb, kind_of_index(searcher)));
  if (const std::string note = searcher.length_note(); !note.empty()) say("embd: {}\n", note);
  const std::optional<Model> model = EMBD_TRY(open_query_model(options, searcher));
  const FoundRows found = EMBD_TRY(find(options, searcher, model, texts, interrupt.token()));
  if (options.similarity && !similarity_of(searcher.metric(), 0)) {
    return fail(ErrorCode::invalid_argument,
                "--similarity applies to the metrics cos and ip, but the metric of this search is "
                "{}: leave --similarity out",
                metric_name(searcher.metric()));
  }
  RowTextFiles files = {.input = options.input};
  if (!options.texts.empty()) files.paths.emplace_back(options.texts);
  const RowHits rows = rows_of(found);
  const RowTexts row_texts = EMBD_TRY(searcher.texts(files, &rows, model ? &*model : nullptr));
  std::optional<RankedRows> ranked;
  if (reranker) {
    if (row_texts.empty())
      return fail(ErrorCode::invalid_argument,
                  "--rerank needs the texts of the rows, which --texts gives");
    ranked = EMBD_TRY(ranked_hits(options, *reranker, rows, row_texts, texts, interrupt.token()));
  }
  const Collection* places = collection ? &*collection : nullptr;
  Hits hits = EMBD_TRY(ranked ? hits_of(*ranked, found, searcher, row_texts, places)
                              : hits_of(found, searcher, row_texts, places));
  if (match_of(options) != Match::vectors)
    EMBD_TRY(find_terms(searcher, model ? &*model : nullptr, texts, hits));
  EMBD_TRY(print_hits(hits, {.queries = texts,
                             .metric = searcher.metric(),
                             .format = options.json ? HitFormat::json : options.format,
                             .similarity = options.similarity}));
  say_stale(hits, options.shards.front());
  return ExitCode::good;
}

}  // namespace

void add_search(Verb& program) {
  auto [verb, options] =
      program.add_verb("search", "Finds the rows nearest to texts or vectors", search);
  verb.add_option("INDEX", options.shards,
                  "Indexes, or any vector sets (compared row by row), several as one set; or a "
                  "collection")
      .required();
  add_search_options(verb, options);
}

}  // namespace embd::cli
