#include "faces/cli/printing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/json.h"
#include "base/messages.h"
#include "base/os/file_descriptor.h"
#include "base/parallel.h"
#include "base/path_text.h"
#include "base/try.h"

namespace embd::cli {
namespace {

/// Returns the number of bytes of the control character at the beginning of `text`, in UTF-8: 2 for
/// U+0080 to U+009F, 1 for others, 0 if there is none.
std::size_t control_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  return byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
}

std::string escape_of(unsigned char control) {
  switch (control) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\x{:02x}", control);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = control_bytes(text);
    if (bytes == 0) {
      shown += text.front();
      text.remove_prefix(1);
    } else {
      shown += escape_of(static_cast<unsigned char>(text[bytes - 1]));
      text.remove_prefix(bytes);
    }
  }
  return shown;
}

void print_to_standard_error(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);  // Wine's C library keeps the text until the program ends.
}

Result<StandardOutput> StandardOutput::open() {
  return StandardOutput(EMBD_TRY(OutputFile::standard_output()));
}

Result<void> print_to_standard_output(std::string_view text) {
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  EMBD_TRY(out.print(text));
  return out.finish();
}

namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_null()) return "none";
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Returns true for the description of a tensor. Models have many of them, so each is shown in one
/// line.
bool is_tensor(const Json& value) {
  return value.is_object() && value.contains("name") && value.contains("type") &&
         value.contains("shape");
}

void append_lines(const Json& object, const std::string& indent, std::string& out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      out += fmt::format("{}{}:\n", indent, printable(name));
      append_lines(value, indent + "  ", out);
    } else if (value.is_array() && !value.empty() && std::ranges::all_of(value, is_tensor)) {
      out += fmt::format("{}{}: {}\n", indent, printable(name), value.size());
      for (const Json& tensor : value) {
        out += fmt::format("{}  {} {} {}\n", indent, value_text(tensor["name"]),
                           value_text(tensor["type"]), value_text(tensor["shape"]));
      }
    } else {
      out += fmt::format("{}{}: {}\n", indent, printable(name), value_text(value));
    }
  }
}

}  // namespace

std::string as_lines(std::string_view json) {
  std::string out;
  append_lines(parse_ordered_json(json).value(), "", out);
  return out;
}

namespace {

constexpr int bar_width = 24;

std::string time_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// Returns a bar such as " 42% [==========              ]".
std::string share_bar(double share) {
  const int filled = static_cast<int>(share * bar_width);
  return fmt::format("{:3.0f}% [{:=<{}}{: <{}}]", share * 100, "", filled, "", bar_width - filled);
}

}  // namespace

Progress::Progress(const std::string& when)
    : shown_(when == "always" || (when == "auto" && os::is_error_terminal())) {}

void Progress::clear() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
}

/// Returns true if the line is shown and was not drawn in the last 0.2 seconds.
bool Progress::is_due() {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now < next_) return false;
  next_ = now + std::chrono::milliseconds(200);
  return true;
}

void Progress::show(std::string_view line) {
  drawn_ = true;
  say("\r{}\x1b[K", line);
}

void Progress::update(const EmbedProgress& progress) {
  if (!is_due()) return;
  std::string line = fmt::format("{}, {:.0f} tokens/s", counted(progress.rows, "row"),
                                 progress.tokens_per_second());
  if (const auto left = progress.seconds_left())
    line = fmt::format("{} {}, {} left", share_bar(*progress.share), line, time_text(*left));
  show(line);
}

void Progress::update(const GetModelProgress& progress) {
  if (!is_due()) return;
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  const double all = megabytes(progress.all_bytes);
  const double share = all > 0 ? megabytes(progress.bytes) / all : 1;
  show(fmt::format("{} {}, {:.0f} of {:.0f} MB", share_bar(share), printable(progress.file),
                   megabytes(progress.bytes), all));
}

Result<void> write_report(const std::string& path, const EmbedReport& report,
                          const ReportedModel& model) {
  const auto rows_of_run = static_cast<double>(report.rows - report.resumed_rows);
  nlohmann::ordered_json json = {
      {"rows", report.rows},
      {"resumed_rows", report.resumed_rows},
      {"tokens", report.tokens},
      {"truncated_rows", report.truncated_rows},
      {"empty_rows", report.empty_rows},
      {"repeated_rows", report.repeated_rows},
      {"seconds", report.seconds},
      {"rows_per_second", rows_of_run / report.seconds},
      {"tokens_per_second", static_cast<double>(report.tokens) / report.seconds},
      {"threads", threads_for(model.threads)},
      {"kernels", model.kernels},
      {"compute", compute_name(model.compute)},
      {"model", model.name},
  };
  if (model.dim) json["dim"] = *model.dim;
  if (report.digest) json["digest"] = EMBD_TRY(parse_ordered_json(report.digest->to_json()));
  return write_text_file(path_of_text(path), json.dump(2) + "\n");
}

}  // namespace embd::cli
