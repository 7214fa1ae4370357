#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "analysis/centers.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/cluster.h"
#include "tokenizer/wordpiece/pretokenize.h"

namespace embd {
namespace {

using WordCounts = std::unordered_map<std::string, std::uint64_t>;

/// Words of English that are in texts about anything, in the pieces that a BERT tokenizer makes of
/// them ("don't" is "don", "'" and "t"), sorted.
constexpr std::string_view stop_words[] = {
    "about",    "above",     "after",  "again",      "against", "ain",     "all",     "also",
    "am",       "an",        "and",    "any",        "are",     "aren",    "as",      "at",
    "be",       "because",   "been",   "before",     "being",   "below",   "between", "both",
    "but",      "by",        "can",    "cannot",     "could",   "couldn",  "did",     "didn",
    "do",       "does",      "doesn",  "doing",      "don",     "down",    "during",  "each",
    "either",   "else",      "ever",   "every",      "few",     "for",     "from",    "further",
    "had",      "hadn",      "has",    "hasn",       "have",    "haven",   "having",  "he",
    "her",      "here",      "hers",   "herself",    "him",     "himself", "his",     "how",
    "however",  "if",        "in",     "into",       "is",      "isn",     "it",      "its",
    "itself",   "just",      "ll",     "may",        "me",      "might",   "more",    "most",
    "must",     "mustn",     "my",     "myself",     "neither", "no",      "nor",     "not",
    "now",      "of",        "off",    "on",         "once",    "only",    "onto",    "or",
    "other",    "our",       "ours",   "ourselves",  "out",     "over",    "own",     "per",
    "quite",    "rather",    "re",     "same",       "shall",   "shan",    "she",     "should",
    "shouldn",  "since",     "so",     "some",       "such",    "than",    "that",    "the",
    "their",    "theirs",    "them",   "themselves", "then",    "there",   "these",   "they",
    "this",     "those",     "though", "through",    "thus",    "to",      "too",     "under",
    "until",    "up",        "upon",   "us",         "ve",      "very",    "was",     "wasn",
    "we",       "were",      "weren",  "what",       "when",    "where",   "whether", "which",
    "while",    "who",       "whom",   "whose",      "why",     "will",    "with",    "within",
    "without",  "won",       "would",  "wouldn",     "yet",     "you",     "your",    "yours",
    "yourself", "yourselves"};
static_assert(std::ranges::is_sorted(stop_words));

/// Returns true if a word can name something: it is not punctuation, a number, a single ASCII
/// letter or a stop word.
bool can_name(std::string_view word) {
  const auto is_letter = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           static_cast<unsigned char>(byte) >= 0x80;
  };
  return word.size() > 1 && std::ranges::any_of(word, is_letter) &&
         !std::ranges::binary_search(stop_words, word);
}

/// Counts each word of a text once, because a text that repeats a word is not more about it.
void count_words(const wordpiece::Normalizer& normalizer, std::string_view text,
                 wordpiece::Word& word, WordCounts& counts) {
  std::vector<std::string> words;
  for (std::size_t at = 0; wordpiece::next_word(normalizer, text, at, word);)
    if (!word.too_long() && can_name(word.text())) words.emplace_back(word.text());
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  for (std::string& each : words) ++counts[std::move(each)];
}

/// Returns the words that describe a group best, the best first. Words of equal score are sorted by
/// the number of texts that contain them.
std::vector<std::string> best_words(const WordCounts& of_group, std::uint64_t group_texts,
                                    const WordCounts& of_all, std::uint64_t all_texts,
                                    std::size_t count) {
  struct Scored {
    /// In millionths, because the last bits of a logarithm differ between libraries.
    std::int64_t score;
    std::uint64_t texts;
    std::string_view word;
  };
  std::vector<Scored> scored;
  for (const auto& [word, texts] : of_group) {
    const double share = static_cast<double>(texts) / static_cast<double>(group_texts);
    const double elsewhere = static_cast<double>(of_all.at(word)) / static_cast<double>(all_texts);
    // A word that is not more frequent here than elsewhere does not describe the group.
    if (share <= elsewhere && texts != of_all.at(word)) continue;
    scored.push_back({std::llround(share * std::log(share / elsewhere) * 1e6), texts, word});
  }
  std::ranges::sort(scored, [](const Scored& a, const Scored& b) {
    return std::tie(b.score, b.texts, a.word) < std::tie(a.score, a.texts, b.word);
  });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(count, scored.size()); ++i)
    words.emplace_back(scored[i].word);
  return words;
}

void name_by_words(const Members& members, std::span<const std::string_view> texts,
                   std::size_t num_words, std::vector<GroupName>& names) {
  const wordpiece::Normalizer normalizer(/*lower_case=*/true);
  wordpiece::Word word;
  std::vector<WordCounts> of_groups(members.num_groups());
  WordCounts of_all;
  for (std::size_t g = 0; g < members.num_groups(); ++g) {
    for (const std::uint32_t row : members.of(g))
      count_words(normalizer, texts[row], word, of_groups[g]);
    for (const auto& [each, count] : of_groups[g]) of_all[each] += count;
  }
  for (std::size_t g = 0; g < members.num_groups(); ++g)
    names[g].words =
        best_words(of_groups[g], members.of(g).size(), of_all, members.rows.size(), num_words);
}

}  // namespace

Result<std::vector<GroupName>> name_groups(const Clusters& clusters,
                                           std::span<const std::string_view> texts,
                                           std::size_t num_words, std::size_t num_rows) {
  return guarded([&]() -> Result<std::vector<GroupName>> {
    if (!texts.empty() && texts.size() != clusters.groups.size()) {
      return fail(ErrorCode::invalid_argument,
                  "{} texts were given for {} rows, expected one text for each row", texts.size(),
                  clusters.groups.size());
    }
    const std::size_t num_groups = clusters.sizes.size();
    const Members members = members_of(std::span<const std::int32_t>(clusters.groups), num_groups);
    std::vector<GroupName> names(num_groups);
    for (std::size_t g = 0; g < num_groups; ++g) {
      std::vector<std::uint64_t>& central = names[g].central_rows;
      central.resize(std::min<std::size_t>(num_rows, members.of(g).size()));
      for (const std::uint32_t row : members.of(g))
        if (clusters.places[row] < central.size()) central[clusters.places[row]] = row;
    }
    if (!texts.empty()) name_by_words(members, texts, num_words, names);
    return names;
  });
}

}  // namespace embd
