// Any bytes as an EMBD file: as they are, and with magics, size and checksums made to fit, so that
// a mutation anywhere else is seen for itself.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "formats/weights/embd/embd_layout.h"
#include "formats/weights/embd/embd_reader.h"
#include "tests/fuzz/require.h"
#include "tokenizer/tokenizer_worker.h"

namespace {

using namespace embd;
using fuzz::require;
namespace layout = embd_layout;

template <class T>
void put(std::vector<std::byte>& bytes, std::uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

void put(std::vector<std::byte>& bytes, std::uint64_t at, std::string_view text) {
  std::memcpy(bytes.data() + at, text.data(), text.size());
}

/// The bytes with everything right that guards the rest; nothing if there are too few.
std::vector<std::byte> repaired(Bytes input) {
  namespace h = layout::header;
  namespace f = layout::footer;
  std::vector<std::byte> bytes(input.begin(), input.end());
  if (bytes.size() < layout::header_bytes + layout::footer_bytes) return {};
  const std::uint64_t footer = bytes.size() - layout::footer_bytes;
  put(bytes, h::magic.at, layout::magic_bytes);
  put(bytes, h::version_major.at, layout::supported_major);
  put(bytes, h::total_file_size.at, std::uint64_t{bytes.size()});
  put(bytes, h::reserved.at, std::uint32_t{0});
  put(bytes, footer + f::magic_end.at, layout::magic_end_bytes);
  put(bytes, footer + f::reserved.at, std::uint32_t{0});

  const Bytes view = bytes;
  const auto flags =
      load<std::uint32_t>(view.subspan(h::flags.at)) & ~layout::compressed & layout::known_flags;
  put(bytes, h::flags.at, flags);
  const bool on = (flags & layout::checksum_enabled) != 0;
  put(bytes, h::header_checksum.at,
      on ? crc32(view.first(layout::checked_header_bytes)) : std::uint32_t{0});
  const std::uint64_t start = load<std::uint32_t>(view.subspan(h::tensor_data_offset.at));
  const auto size = load<std::uint64_t>(view.subspan(h::tensor_data_size.at));
  const bool is_inside = start <= footer && size <= footer - start;
  put(bytes, footer + f::data_checksum.at,
      on && is_inside ? crc32(view.subspan(start, size)) : std::uint32_t{0});
  put(bytes, footer + f::file_checksum.at, on ? crc32(view.first(footer)) : std::uint32_t{0});
  return bytes;
}

/// Ids of a vocabulary, whatever its tables are.
void use_tokenizer(const Tokenizer& tokenizer, const WeightFile& file) {
  TokenizerWorker worker(tokenizer);
  std::vector<std::int32_t> ids;
  const auto encoded = worker.encode("A b\u0301 <mask>\U0001f600 aab ", {}, {&ids});
  require(encoded && encoded->tokens == ids.size());
  for (const std::int32_t id : ids) require(static_cast<std::uint32_t>(id) < file.vocab().size());
}

/// Makes the tokenizer of a file if its tables are good.
void use_tokenizer(const WeightFile& file) {
  if (file.spec().tokenizer == TokenizerKind::unigram) {
    if (const auto tokenizer = make_unigram_tokenizer(file)) use_tokenizer(**tokenizer, file);
  } else if (file.spec().tokenizer == TokenizerKind::bpe) {
    if (const auto tokenizer = make_bpe_tokenizer(file)) use_tokenizer(**tokenizer, file);
  }
}

/// Everything a file that opened promises.
void use(const WeightFile& file) {
  use_tokenizer(file);
  const ModelSpec& spec = file.spec();
  require(spec.num_heads > 0 && spec.hidden % spec.num_heads == 0);
  require(spec.max_seq_length >= 3 && spec.max_seq_length <= spec.max_tokens());
  require(file.vocab().size() == spec.vocab_size);
  for (const std::int32_t id : file.special_tokens().ids())
    require(static_cast<std::uint32_t>(id) < spec.vocab_size);
  for (const MetadataEntry& entry : file.metadata())
    require(file.metadata(entry.key) == entry.value);

  std::vector<float> values;
  for (const Tensor& tensor : file.tensors()) {
    require(file.find(tensor.name) == &tensor);
    values.resize(tensor.num_values());
    if (const auto matrix = file.matrix(tensor.name)) {
      require(matrix->to_floats(values).has_value());
      const std::span<float> row = std::span(values).first(matrix->cols());
      require(matrix->row_to_floats(matrix->rows() - 1, 1, row).has_value());
      if (const auto in_place = matrix->view()) require(in_place->values().size() == values.size());
    } else if (const auto floats = view_floats(tensor)) {
      require(floats->size() == values.size());
    } else {
      (void)to_floats(tensor, values);
    }
  }
}

/// A vocabulary for files that have none, of as many tokens as the seeds' models.
std::vector<std::string> vocab_of(std::size_t size) {
  std::vector<std::string> vocab = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  while (vocab.size() < size) vocab.push_back(std::to_string(vocab.size()));
  return vocab;
}

void open(Bytes bytes, bool checksums_fit) {
  auto file = WeightFile::from_bytes(bytes);
  for (const std::size_t size : {9, 155}) {
    if (file || file.error().code() != ErrorCode::vocabulary_missing) break;
    auto with_vocab = WeightFile::from_bytes(bytes, {.vocab = vocab_of(size)});
    if (with_vocab) file = std::move(with_vocab);
  }
  if (!file) {
    require(!file.error().message().empty());
    require(file.error().offset().has_value());
    return;
  }
  use(*file);
  const auto verified = file->verify();
  // verify() checks the tables of these tokenizers, too, which opening takes as they are.
  const bool is_whole = checksums_fit && file->spec().tokenizer == TokenizerKind::wordpiece;
  require(verified || !is_whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input(reinterpret_cast<const std::byte*>(data), size);
  open(input, false);
  open(repaired(input), true);
  return 0;
}
