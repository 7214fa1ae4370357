#include "faces/js/native/answer.h"

#include "base/error_codes.h"

namespace embd::js {
namespace {

constexpr std::string_view out_of_memory =
    R"({"code":"out_of_memory","status":"io_failed","message":"out of memory"})";

std::string_view name_of(ErrorStatus status) noexcept {
  switch (status) {
    case ErrorStatus::bad_argument:
      return "bad_argument";
    case ErrorStatus::bad_input:
      return "bad_input";
    case ErrorStatus::recipe_mismatch:
      return "recipe_mismatch";
    case ErrorStatus::io_failed:
      return "io_failed";
    case ErrorStatus::cancelled:
      return "cancelled";
  }
  return "";
}

nlohmann::json as_json(const Error& error) {
  nlohmann::json json = {{"code", error_name(error.code())},
                         {"status", name_of(status_of(error.code()))},
                         {"message", error.message()}};
  if (!error.file().empty()) json["file"] = error.file();
  if (error.line()) json["line"] = *error.line();
  if (error.offset()) json["offset"] = *error.offset();
  return json;
}

}  // namespace

Answer& Answer::of_module() {
  static Answer answer;
  return answer;
}

void Answer::clear() noexcept {
  *this = Answer();
}

void Answer::say(const nlohmann::json& json) {
  // Bytes of a message that are not UTF-8, such as a name out of a damaged file, become U+FFFD.
  say(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Answer::say(const Error& error) noexcept {
  text_ = out_of_memory;
  if (error.code() == ErrorCode::out_of_memory) return;
  try {
    say(as_json(error));
  } catch (const std::exception&) {  // Then it is out of memory.
  }
}

EMBD_EXPORT(const char*, embd_answer_text)() {
  return Answer::of_module().text().data();
}
EMBD_EXPORT(std::uint32_t, embd_answer_text_size)() {
  return static_cast<std::uint32_t>(Answer::of_module().text().size());
}
EMBD_EXPORT(const void*, embd_answer_data)() {
  return Answer::of_module().data();
}
EMBD_EXPORT(std::uint32_t, embd_answer_data_size)() {
  return static_cast<std::uint32_t>(Answer::of_module().data_size());
}

}  // namespace embd::js
