#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace embd {

/// A run of bytes of a normalized text that come from one place of the original text.
struct SourceStretch {
  std::size_t end;          ///< its end in the normalized text; it begins where the run before ends
  std::string_view source;  ///< data() is null for what no part of the original text stands for
  bool is_kept;             ///< true if each byte is unchanged
};

/// Adds the run of `text`, the replacement of `source`, to the runs of a normalized text that ends
/// at `end` with it. Unchanged text that continues the last run lengthens this run. Throws
/// std::bad_alloc.
void add_stretch(std::vector<SourceStretch>& stretches, std::size_t end, std::string_view text,
                 std::string_view source);

/// A normalized text that knows from which bytes of the original text its bytes come. It exists
/// only where tokens are looked for in normalized text; elsewhere texts are normalized while they
/// are read.
class AlignedText {
 public:
  void clear() noexcept {
    text_.clear();
    stretches_.clear();
  }
  /// Appends the replacement of `source`, a part of the original text; the same bytes if it was not
  /// changed. Throws std::bad_alloc.
  void append(std::string_view text, std::string_view source);
  /// Frees memory that only a long text needs.
  void shrink() noexcept;

  /// Returns the normalized text, valid until it changes.
  std::string_view text() const noexcept { return text_; }
  /// Returns the part of the original text from which a part of text() comes. Returns any other
  /// `part` as it is, so that a caller need not ask whether a text was normalized beforehand.
  std::string_view source_of(std::string_view part) const noexcept;

 private:
  /// Returns the source of byte `at`: the byte itself if it was kept, else that of its stretch.
  std::string_view source_at(std::size_t at) const noexcept;

  std::string text_;
  std::vector<SourceStretch> stretches_;
};

}  // namespace embd
