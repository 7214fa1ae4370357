#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "embd/error.h"

/// Begins the definition of a function that the module exports under its own name:
/// EMBD_EXPORT(void, embd_clear)() { … }
#define EMBD_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace embd::js {

/// The answer of a call to the module: a text, which is mostly JSON, and bytes. It is valid until
/// the next call.
class Answer {
 public:
  /// Returns the only answer of the module, which has one thread.
  static Answer& of_module();

  void clear() noexcept;
  void say(std::string text) noexcept { own_text_ = std::move(text), text_ = own_text_; }
  void say(const nlohmann::json& json);
  /// Makes the code, the message and the place of an error the answer. Without memory, a text that
  /// exists already is used.
  void say(const Error& error) noexcept;
  /// Takes ownership of a container and makes its elements the bytes of the answer.
  template <class Container>
  void keep(Container elements) {
    const auto kept = std::make_shared<Container>(std::move(elements));
    data_ = kept->data();
    data_size_ = std::span(*kept).size_bytes();
    owner_ = kept;
  }

  std::string_view text() const noexcept { return text_; }
  const void* data() const noexcept { return data_; }
  std::size_t data_size() const noexcept { return data_size_; }

 private:
  std::string own_text_;
  std::string_view text_;
  std::shared_ptr<const void> owner_;
  const void* data_ = nullptr;
  std::size_t data_size_ = 0;
};

/// Calls `function(answer)`, which returns a Result<std::int32_t>, and returns its number. After an
/// error, it returns a number below 0, and the error becomes the answer.
template <class Function>
std::int32_t answer_with(const Function& function) noexcept {
  Answer& answer = Answer::of_module();
  answer.clear();
  const Result<std::int32_t> result =
      guarded([&]() -> Result<std::int32_t> { return function(answer); });
  if (result) return *result;
  answer.clear();
  answer.say(result.error());
  return -1;
}

}  // namespace embd::js
