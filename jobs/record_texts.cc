#include "jobs/record_texts.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/try.h"

namespace embd {
namespace {

/// Gives texts that are token ids to a model. Record.text has the ids of a text as a JSON array.
class TokenIdTexts final : public TokenIdSource {
 public:
  TokenIdTexts(RecordTexts& texts, std::uint32_t vocab_size)
      : texts_(texts), vocab_size_(vocab_size) {}

  Result<bool> next(std::vector<std::int32_t>& ids) override {
    if (!EMBD_TRY(texts_.next(json_))) return false;
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
            .at_line(texts_.line())
            .in_file(texts_.reader().name()));
  }

  RecordTexts& texts_;
  const std::uint32_t vocab_size_;
  std::string json_;
};

}  // namespace

Result<Report> encode_records(const Model& model, RecordTexts& texts, RowSink& sink,
                              const EncodeOptions& options, std::stop_token stop) {
  if (!texts.reader().has_token_ids()) return model.encode(texts, sink, options, std::move(stop));
  TokenIdTexts ids(texts, model.vocab_size());
  return model.encode_ids(ids, sink, options, std::move(stop));
}

}  // namespace embd
