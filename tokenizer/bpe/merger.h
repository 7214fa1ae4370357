#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/bpe/vocabulary.h"

namespace embd::bpe {

/// A token of a word, and the bytes of the word that it stands for.
struct Symbol {
  std::int32_t id;
  std::uint32_t begin;
  std::uint32_t end;
};

/// Merges the bytes of words, or their characters, to tokens: of all neighbouring tokens that have
/// a merge, those of the lowest rank first, and of equal ranks the leftmost. Short words are
/// searched again for each merge. Long words have a heap of merges, so that the time is
/// proportional to n log n, with up to 60 bytes of memory for each byte of the word. `vocabulary`
/// must outlive it.
class Merger {
 public:
  /// With `of_characters`, the characters of a word are its first tokens, and the bytes of those
  /// that are no token. Else all bytes are, and `unk` replaces bytes without a token.
  Merger(const Vocabulary& vocabulary, std::optional<std::int32_t> unk,
         bool of_characters = false) noexcept
      : vocabulary_(vocabulary), unk_(unk), of_characters_(of_characters) {}

  /// Returns the tokens of a word, valid until the next call. Fails with unsupported for a word of
  /// 2^32 bytes or more. Throws std::bad_alloc.
  Result<std::span<const Symbol>> merge(std::string_view word);

  /// Frees memory that only a very long word needs.
  void shrink() noexcept;

 private:
  /// A merge that is waiting: of the symbol at `place` with its neighbour.
  struct Waiting {
    std::uint32_t rank;
    std::uint32_t place;
    std::int32_t id;

    /// True if `a` comes after `b`.
    static bool is_later(const Waiting& a, const Waiting& b) noexcept {
      return a.rank != b.rank ? a.rank > b.rank : a.place > b.place;
    }
  };
  /// The neighbours of a symbol. A symbol that was merged into its left neighbour is gone.
  struct Links {
    std::uint32_t left;
    std::uint32_t right;
    bool is_gone = false;
  };

  void read_bytes(std::string_view word, std::size_t begin, std::size_t end);
  void read_characters(std::string_view word);
  void merge_short();
  void merge_long();
  /// Adds the merge of a symbol with its right neighbour to waiting_, if there is one.
  bool offer(std::uint32_t place);

  const Vocabulary& vocabulary_;
  const std::optional<std::int32_t> unk_;
  const bool of_characters_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t>
      ranks_;  ///< For short words, the ranks of merges with the next symbol.
  std::vector<Links> links_;
  std::vector<Waiting> waiting_;  ///< A heap; the earliest merge is at the front.
};

}  // namespace embd::bpe
