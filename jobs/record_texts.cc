#include "jobs/record_texts.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/try.h"

namespace embd {
namespace {

class PlacedTexts final : public TextSource {
 public:
  explicit PlacedTexts(TextPlaces& texts) : texts_(texts) {}
  Result<bool> next(std::string& text) override { return texts_.next(text); }

 private:
  TextPlaces& texts_;
};

/// Gives texts that are token ids to a model. Record.text has the ids of a text as a JSON array.
class PlacedIds final : public TokenIdSource {
 public:
  PlacedIds(TextPlaces& texts, std::uint32_t vocab_size) : texts_(texts), vocab_size_(vocab_size) {}

  Result<bool> next(std::vector<std::int32_t>& ids) override {
    if (!EMBD_TRY(texts_.next(json_))) return false;
    ++num_texts_;
    ids.clear();
    const char* const end = json_.data() + json_.size();
    for (const char* at = json_.data(); at != end && *at != ']';) {
      std::int32_t id = 0;
      at = std::from_chars(at + 1, end, id).ptr;
      if (static_cast<std::uint32_t>(id) >= vocab_size_) return no_such_id(ids.size(), id);
      ids.push_back(id);
    }
    return true;
  }

 private:
  std::unexpected<Error> no_such_id(std::size_t token, std::int32_t id) const {
    return std::unexpected(
        Error(ErrorCode::bad_value, fmt::format("token {}: the token id is {}, expected 0 to {}",
                                                token, id, vocab_size_ - 1))
            .at_line(num_texts_));
  }

  TextPlaces& texts_;
  const std::uint32_t vocab_size_;
  std::uint64_t num_texts_ = 0;
  std::string json_;
};

/// Passes rows on and drops the places of their texts.
class PlacedRows final : public RowSink {
 public:
  PlacedRows(TextPlaces& texts, RowSink& sink) : texts_(texts), sink_(sink) {}
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    texts_.take(reports);
    return sink_.write(rows, reports);
  }

 private:
  TextPlaces& texts_;
  RowSink& sink_;
};

}  // namespace

Result<bool> TextPlaces::next(std::string& text) {
  if (!EMBD_TRY(texts_.next(text))) return false;
  const Record& record = texts_.record();
  const std::string_view file = record.file.empty() ? texts_.reader().name() : record.file;
  const std::lock_guard lock(mutex_);
  if (files_.empty() || files_.back() != file) files_.emplace_back(file);
  places_.push_back({record.line, files_.back()});
  return true;
}

void TextPlaces::take(std::span<const RowReport> reports) {
  const std::lock_guard lock(mutex_);
  for (const RowReport& report : reports) {
    // A text stays until the next one comes, because only its first windows may have come.
    if (report.window == 0 && num_come_++ > 0) places_.pop_front();
  }
}

Error TextPlaces::at_place(Error error) {
  if (!error.line() || !error.file().empty()) return error;
  const std::lock_guard lock(mutex_);
  const std::uint64_t first = num_come_ > 0 ? num_come_ : 1;
  if (*error.line() < first || *error.line() - first >= places_.size()) return error;
  const Place& place = places_[*error.line() - first];
  Error placed(error.code(), error.what());
  if (error.offset()) placed = std::move(placed).at_offset(*error.offset());
  return std::move(placed).at_line(place.line).in_file(place.file);
}

Result<Report> encode_records(const Model& model, RecordTexts& texts, RowSink& sink,
                              const EncodeOptions& options, std::stop_token stop) {
  TextPlaces places(texts);
  PlacedRows rows(places, sink);
  const auto encode = [&]() -> Result<Report> {
    if (texts.reader().has_token_ids()) {
      PlacedIds ids(places, model.vocab_size());
      return model.encode_ids(ids, rows, options, std::move(stop));
    }
    PlacedTexts source(places);
    return model.encode(source, rows, options, std::move(stop));
  };
  auto report = encode();
  if (!report) return std::unexpected(places.at_place(std::move(report).error()));
  return report;
}

}  // namespace embd
