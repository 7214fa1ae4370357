#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace embd::unigram {

/// A normalized word with its word mark and, if asked for, where its characters come from.
class Word {
 public:
  /// Empties the word. `keeps_sources`: whether take_source() will be asked.
  void clear(bool keeps_sources) noexcept;
  /// Appends what became of `source`, a part of the original text; the same bytes if it was kept.
  void append(std::string_view text, std::string_view source) {
    text_.append(text);
    if (keeps_sources_) add_stretch(text, source);
  }
  /// Appends a "▁" for which no character of the text is kept.
  void append_mark();
  /// Gives back memory that only a very long word needs.
  void shrink() noexcept;

  bool empty() const noexcept { return text_.empty(); }
  std::string_view text() const noexcept { return text_; }

  /// Returns where the next `size` bytes of the word come from: from the first character of the
  /// original text of which something is in them to the last one. Without data() if they are of
  /// none. Each call goes on where the one before ended.
  std::string_view take_source(std::size_t size) noexcept;

 private:
  /// Bytes of the word that come from one place.
  struct Stretch {
    std::size_t end;          ///< in the word; it begins where the one before ends
    std::string_view source;  ///< without data() for a word mark
    bool is_kept;             ///< byte by byte
  };
  void add_stretch(std::string_view text, std::string_view source);
  /// The part of a stretch's source from which [begin, end) of the word comes.
  std::string_view source_of(std::size_t index, std::size_t begin, std::size_t end) const noexcept;
  std::size_t begin_of(std::size_t index) const noexcept {
    return index == 0 ? 0 : stretches_[index - 1].end;
  }

  std::string text_;
  bool keeps_sources_ = false;
  std::vector<Stretch> stretches_;
  std::size_t taken_ = 0;          ///< bytes of the word whose source was taken
  std::size_t first_stretch_ = 0;  ///< the one that has the byte after them
};

}  // namespace embd::unigram
