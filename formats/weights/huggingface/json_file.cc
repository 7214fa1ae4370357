#include "formats/weights/huggingface/json_file.h"

#include <algorithm>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/try.h"

namespace embd::huggingface {

Result<nlohmann::json> parse_object(Bytes text, std::uint64_t text_at) {
  nlohmann::json root = EMBD_TRY(parse_json(as_text(text), text_at));
  if (!root.is_object()) return fail_at(text_at, ErrorCode::bad_json, "expected an object");
  return root;
}

Result<JsonFile> JsonFile::read(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  nlohmann::json root = EMBD_TRY(in_file(path, parse_object(file.bytes(), 0)));
  return JsonFile(path, std::move(root));
}

Result<std::optional<JsonFile>> JsonFile::read_if_there(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return EMBD_TRY(read(path));
}

const nlohmann::json* JsonFile::find(std::string_view key) const {
  const auto found = root_.find(std::string(key));
  return found == root_.end() || found->is_null() ? nullptr : &*found;
}

std::unexpected<Error> JsonFile::fail(ErrorCode code, std::string_view key,
                                      std::string_view what) const {
  return fail_in(path_, code, "{}: {}", key, what);
}

Result<std::uint32_t> JsonFile::positive(std::string_view key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return fail(ErrorCode::missing, key, "expected a whole number");
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() == 0 ||
      value->get<std::uint64_t>() > UINT32_MAX) {
    return fail(ErrorCode::bad_value, key, "{}, expected a whole number from 1 to {}",
                value->dump(), UINT32_MAX);
  }
  return value->get<std::uint32_t>();
}

Result<std::optional<std::string>> JsonFile::text_if_there(std::string_view key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) return fail(ErrorCode::bad_type, key, "expected a string");
  return value->get<std::string>();
}

Result<std::optional<bool>> JsonFile::flag_if_there(std::string_view key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) return fail(ErrorCode::bad_type, key, "expected true or false");
  return value->get<bool>();
}

Result<void> JsonFile::require_word(std::string_view key,
                                    std::span<const std::string_view> allowed) const {
  const auto word = EMBD_TRY(text_if_there(key));
  if (!word || std::ranges::find(allowed, *word) != allowed.end()) return {};
  return fail(ErrorCode::unsupported, key, "{}, expected {}", *word, allowed.front());
}

Result<void> JsonFile::require_unset(std::string_view key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr || *value == false || (!value->is_number() && value->empty())) return {};
  if (value->is_string() && value->get_ref<const std::string&>().empty()) return {};
  return fail(ErrorCode::unsupported, key, value->dump() + ", which embd does not do");
}

Result<std::optional<double>> JsonFile::number_if_there(std::string_view key) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) return fail(ErrorCode::bad_type, key, "expected a number");
  return value->get<double>();
}

}  // namespace embd::huggingface
