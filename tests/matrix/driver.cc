// The questions of matrix_test.py, put to the C++ interface:  driver MODEL < questions
//
// A question is lines of a word and its value, of which the last is "ask". Its answer is a line: a
// list of hits for each query as JSON, [id, distance] each, or the error. Where terms are compared,
// the number is the score instead of the distance.
#include <embd/embd.h>

#include <charconv>
#include <iostream>
#include <sstream>
#include <string>

namespace {

using namespace embd;

struct Question {
  std::vector<std::filesystem::path> paths;
  SearcherOptions searcher;
  Match match = Match::vectors;
  SearchOptions search;
  QueryOptions query;
  std::vector<std::string> texts;
  std::vector<std::vector<float>> vectors;
  std::vector<std::uint8_t> bits;
  std::size_t num_bits_rows = 0;
  std::string file;
  bool has_filter = false;
  std::vector<std::string> allowed;
  RowConditions conditions;

  void take(const std::string& word, const std::string& value) {
    if (word == "set") paths.emplace_back(value);
    if (word == "metric") searcher.metric = metric_from_name(value);
    if (word == "terms") searcher.terms = value;
    if (word == "match") match = value == "terms" ? Match::terms : Match::both;
    if (word == "exact") search.exact = true;
    if (word == "text") texts.push_back(value);
    if (word == "prompt") query.prompt = value;
    if (word == "prompt_name") query.prompt_name = value;
    if (word == "file") file = value;
    if (word == "filter") has_filter = true;
    if (word == "allow") allowed.push_back(value);
    if (word == "where") conditions.add(parse_condition(value).value());
    if (word == "vector") {
      std::istringstream numbers(value);
      vectors.emplace_back();
      for (float number = 0; numbers >> number;) vectors.back().push_back(number);
    }
    if (word == "bits") {
      ++num_bits_rows;
      for (std::size_t i = 0; i < value.size(); i += 2)
        bits.push_back(static_cast<std::uint8_t>(std::stoi(value.substr(i, 2), nullptr, 16)));
    }
  }
};

Result<Queries> queries_of(const Question& asked, const Searcher& searcher, const Model& model) {
  if (!asked.file.empty()) return searcher.read_queries(asked.file);
  if (asked.num_bits_rows > 0) {
    return searcher.code_queries(PackedBits{asked.bits.data(), asked.num_bits_rows,
                                            asked.bits.size() / asked.num_bits_rows});
  }
  if (asked.vectors.empty()) {
    const std::vector<std::string_view> texts(asked.texts.begin(), asked.texts.end());
    return searcher.encode_queries(model, texts, asked.query);
  }
  Matrix rows(asked.vectors.size(), asked.vectors[0].size());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    std::ranges::copy(asked.vectors[i], rows.row(i).begin());
  return searcher.code_queries(rows);
}

/// Without a set, the texts are embedded and the answer is an empty list.
Result<std::string> encode(const Question& asked, const Model& model) {
  const std::vector<std::string_view> texts(asked.texts.begin(), asked.texts.end());
  const auto rows = model.encode(texts);
  if (!rows) return std::unexpected(rows.error());
  return "[]";
}

template <class Hit>
Result<std::string> as_json(const Searcher& searcher,
                            const Result<std::vector<std::vector<Hit>>>& hits,
                            float Hit::* number) {
  if (!hits) return std::unexpected(hits.error());
  std::ostringstream out;
  out.precision(9);
  out << '[';
  for (const auto& of_query : *hits) {
    out << (&of_query == hits->data() ? "[" : ",[");
    for (const Hit& hit : of_query) {
      out << (&hit == of_query.data() ? "" : ",") << "[\"" << id_text(searcher.ids(), hit.row)
          << "\"," << hit.*number << ']';
    }
    out << ']';
  }
  out << ']';
  return out.str();
}

Result<std::string> answer(const Question& asked, const Model& model, std::size_t count) {
  if (asked.paths.empty()) return encode(asked, model);
  const auto searcher = Searcher::open(asked.paths, asked.searcher);
  if (!searcher) return std::unexpected(searcher.error());
  const auto queries = queries_of(asked, *searcher, model);
  if (!queries) return std::unexpected(queries.error());
  std::optional<RowFilter> filter;
  if (asked.has_filter || !asked.conditions.columns.empty()) {
    RowConditions conditions = asked.conditions;
    if (asked.has_filter) conditions.ids = asked.allowed;
    auto made = searcher->filter(conditions);
    if (!made) return std::unexpected(made.error());
    filter = std::move(*made);
  }
  const RowFilter* allowed = filter ? &*filter : nullptr;
  if (asked.match == Match::terms)
    return as_json(*searcher, searcher->search_terms(*queries, count, allowed), &TermHit::score);
  if (asked.match == Match::both)
    return as_json(*searcher, searcher->search_both(*queries, count, asked.search, allowed),
                   &FusedRow::score);
  return as_json(*searcher, searcher->search(*queries, count, asked.search, allowed),
                 &RowHit::distance);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto model = Model::open(argv[1]);
  if (!model) {
    std::cerr << model.error().message() << '\n';
    return 1;
  }
  Question asked;
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, space);
    const std::string value = line.substr(std::min(space + 1, line.size()));
    if (word != "ask") {
      asked.take(word, value);
      continue;
    }
    const auto found = answer(asked, *model, std::stoul(value));
    std::cout << (found ? *found : "error: " + found.error().message()) << '\n';
    asked = {};
  }
  return 0;
}
