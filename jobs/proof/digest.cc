#include "embd/digest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/ids.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

// The input of each kind of hash begins with a different name, so that hashes of different kinds
// are never equal.
constexpr std::string_view row_tag = "embd digest 1 row";
constexpr std::string_view vector_tag = "embd digest 1 vector";
constexpr std::string_view input_tag = "embd digest 1 input";
constexpr std::string_view recipe_tag = "embd digest 1 recipe";

enum class IdKind : std::uint8_t { number = 0, string = 1 };

std::string hash_recipe(const Recipe& recipe) {
  using Json = nlohmann::json;  // its members are sorted by name
  const Json fields = deciding_fields(recipe);
  return sha256_hex(as_bytes(std::string(recipe_tag) +
                             fields.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

void append_text(std::string_view text, ByteWriter& out) {
  out.u64(text.size());
  out.text(text);
}

void append_id(const Ids& ids, std::size_t row, std::uint64_t first_row, ByteWriter& out) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
    out.u8(std::to_underlying(IdKind::string));
    append_text((*strings)[row], out);
    return;
  }
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  out.u8(std::to_underlying(IdKind::number));
  out.u64(numbers != nullptr ? (*numbers)[row] : first_row + row);
}

/// Reads the next `count` texts of `reader`, or fewer if it ends before.
Result<std::vector<std::string>> next_texts(RecordReader& reader, std::uint64_t count) {
  std::vector<std::string> texts;
  Record record;
  while (texts.size() < count && EMBD_TRY(reader.next(record)))
    texts.push_back(std::move(record.text));
  return texts;
}

}  // namespace

Digest::Digest(const Recipe& recipe) : recipe_hex_(hash_recipe(recipe)) {}

void Digest::add_to(Number& sum, const Number& term) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::uint64_t partial = sum[i] + carry;
    carry = partial < carry ? 1 : 0;
    sum[i] = partial + term[i];
    carry += sum[i] < partial ? 1 : 0;
  }
}

/// Returns the hash as the number that its hexadecimal digits represent.
Digest::Number Digest::number_of(const std::array<std::byte, 32>& hash) {
  Number number;
  std::memcpy(number.data(), hash.data(), sizeof(number));
  std::ranges::reverse(number);
  for (std::uint64_t& limb : number) limb = std::byteswap(limb);
  return number;
}

std::string Digest::hex_of(const Number& number) {
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", number[3], number[2], number[1], number[0]);
}

std::optional<Digest::Number> Digest::number_from(std::string_view hex) {
  Number number = {};
  if (hex.size() != 64) return std::nullopt;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const char* begin = hex.data() + 16 * (number.size() - 1 - i);
    const auto [end, code] = std::from_chars(begin, begin + 16, number[i], 16);
    if (code != std::errc() || end != begin + 16) return std::nullopt;
  }
  // Digits in upper case are refused, because digests are never written so.
  return hex_of(number) == hex ? std::optional(number) : std::nullopt;
}

Result<void> Digest::check_texts(bool given) {
  if (!has_texts_) has_texts_ = given;
  if (*has_texts_ == given) return {};
  return fail(
      ErrorCode::invalid_argument,
      "rows with texts and rows without texts were mixed, expected one kind for the whole digest");
}

Result<void> Digest::update(MatrixView rows, const Ids& ids, std::uint64_t first_row,
                            std::span<const std::string_view> texts) {
  if (rows.rows() == 0) return {};
  const std::uint64_t num_ids = count_ids(ids).value_or(rows.rows());
  if (num_ids != rows.rows() || (!texts.empty() && texts.size() != rows.rows()))
    return fail(
        ErrorCode::invalid_argument,
        "{} rows, {} ids and {} texts were given, expected one id and one text for each row",
        rows.rows(), num_ids, texts.size());
  EMBD_TRY(check_texts(!texts.empty()));
  const auto add_hash = [](Number& sum, std::string_view tag, std::span<const Bytes> parts) {
    Sha256 hash;
    hash.update(tag);
    for (const Bytes part : parts) hash.update(part);
    add_to(sum, number_of(hash.digest()));
  };
  ByteWriter id;
  ByteWriter text;
  ByteWriter dim;
  dim.u64(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    id.clear();
    append_id(ids, i, first_row, id);
    const Bytes recipe = as_bytes(recipe_hex_);
    const Bytes values = std::as_bytes(rows.row(i));
    const Bytes vector[] = {recipe, id.view(), dim.view(), values};
    add_hash(vectors_, vector_tag, vector);
    if (texts.empty()) continue;
    text.clear();
    append_text(texts[i], text);
    const Bytes row[] = {recipe, id.view(), text.view(), dim.view(), values};
    const Bytes input[] = {id.view(), text.view()};
    add_hash(rows_, row_tag, row);
    add_hash(input_, input_tag, input);
  }
  count_ += rows.rows();
  return {};
}

Result<void> Digest::add(const Digest& other) {
  if (recipe_hex_ != other.recipe_hex_)
    return fail(ErrorCode::recipe_mismatch,
                "the digests belong to vectors of different recipes, so they cannot be added");
  if (other.has_texts_) EMBD_TRY(check_texts(*other.has_texts_));
  count_ += other.count_;
  add_to(rows_, other.rows_);
  add_to(vectors_, other.vectors_);
  add_to(input_, other.input_);
  return {};
}

std::string Digest::hex() const {
  return has_texts() ? hex_of(rows_) : hex_of(vectors_);
}

std::string Digest::vectors_hex() const {
  return hex_of(vectors_);
}

std::string Digest::input_hex() const {
  return has_texts() ? hex_of(input_) : std::string();
}

std::string Digest::to_json() const {
  nlohmann::ordered_json json = {{"count", count_}, {"digest", hex()}};
  if (has_texts()) json["input_digest"] = input_hex();
  json["vectors_digest"] = vectors_hex();
  json["recipe_digest"] = recipe_hex_;
  return json.dump();
}

Result<Digest> Digest::from_json(std::string_view text) {
  const auto json = EMBD_TRY(parse_json(text, 0));
  if (!json.is_object()) return fail(ErrorCode::bad_type, "the digest is not a JSON object");
  const auto number = [&](const char* name) -> Result<Number> {
    const auto member = json.find(name);
    if (member == json.end() || !member->is_string())
      return fail(ErrorCode::missing, "the digest has no member {:?} that is a string", name);
    const auto found = number_from(member->get_ref<const std::string&>());
    if (found) return *found;
    return fail(ErrorCode::bad_value,
                "the member {:?} of the digest is not 64 lower-case hexadecimal digits", name);
  };
  Digest digest;
  const auto count = json.find("count");
  if (count == json.end() || !count->is_number_unsigned())
    return fail(ErrorCode::missing, "the digest has no member \"count\" that is a whole number");
  digest.count_ = count->get<std::uint64_t>();
  digest.recipe_hex_ = hex_of(EMBD_TRY(number("recipe_digest")));
  digest.vectors_ = EMBD_TRY(number("vectors_digest"));
  if (digest.count_ == 0) return digest;
  digest.has_texts_ = json.contains("input_digest");
  if (*digest.has_texts_) {
    digest.rows_ = EMBD_TRY(number("digest"));
    digest.input_ = EMBD_TRY(number("input_digest"));
  }
  return digest;
}

Result<Digest> digest_file(const std::filesystem::path& vectors, const ReadOptions& read,
                           const std::optional<std::filesystem::path>& texts,
                           const InputOptions& input) {
  std::span<const std::filesystem::path> paths;
  if (texts) paths = std::span(&*texts, 1);
  return digest_file(vectors, read, paths, input);
}

Result<Digest> digest_file(const std::filesystem::path& vectors, const ReadOptions& read,
                           std::span<const std::filesystem::path> texts,
                           const InputOptions& input) {
  const auto reader = EMBD_TRY(open_vectors(vectors, read));
  const Recipe recipe = EMBD_TRY(reader->recipe()).value_or(Recipe{});
  if (!texts.empty() && recipe.windows == Windows::rows)
    return fail(ErrorCode::invalid_argument,
                "each row is the vector of a window, and a text has several windows: compare the "
                "digests without texts instead");
  std::unique_ptr<RecordReader> records;
  if (!texts.empty()) records = EMBD_TRY(open_records(texts, input));
  const Ids ids = EMBD_TRY(reader->ids());
  const std::uint64_t num_rows = reader->info().num_rows;
  const std::uint64_t dim = reader->info().dim;
  const auto wrong_count = [&](std::string_view words) {
    return fail_in(texts.front(), ErrorCode::bad_count,
                   "there are {} texts than the {} rows of {}, expected one text for each row",
                   words, num_rows, text_of_path(vectors));
  };
  Digest digest(recipe);
  Matrix rows(rows_at_once(dim), dim);
  for (std::uint64_t first = 0; first < num_rows;) {
    const std::uint64_t count = std::min<std::uint64_t>(rows.rows(), num_rows - first);
    EMBD_TRY(reader->read(first, count, rows.values().first(count * dim)));
    std::vector<std::string> owned;
    if (records) owned = EMBD_TRY(next_texts(*records, count));
    if (records && owned.size() < count) return wrong_count("fewer");
    const std::vector<std::string_view> views(owned.begin(), owned.end());
    EMBD_TRY(
        digest.update(rows.view().slice(0, count), slice_ids(ids, first, count), first, views));
    first += count;
  }
  if (records && !EMBD_TRY(next_texts(*records, 1)).empty()) return wrong_count("more");
  return digest;
}

}  // namespace embd
