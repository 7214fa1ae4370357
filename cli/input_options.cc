#include "cli/input_options.h"

namespace embd::cli {

CLI::Option* add_text_input(CLI::App& verb, TextInput& input, const std::string& positional) {
  InputOptions& options = input.options;
  CLI::Option* path =
      verb.add_option(positional, input.path, "Texts; - is standard input")->type_name("");
  verb.add_option_function<std::string>(
          "--input-format",
          [&options](const std::string& name) {
            options.format.reset();
            if (name == "txt") options.format = InputFormat::txt;
            if (name == "jsonl") options.format = InputFormat::jsonl;
            if (name == "csv") options.format = InputFormat::csv;
            if (name == "tsv") options.format = InputFormat::tsv;
          },
          "auto: by the extension, else txt")
      ->check(CLI::IsMember({"auto", "txt", "jsonl", "csv", "tsv"}))
      ->type_name("auto|txt|jsonl|csv|tsv");
  verb.add_option("--text-field", options.text_field, "Field that holds the text (text)")
      ->type_name("NAME");
  verb.add_option("--id-field", options.id_field, "Field that holds the id of a row")
      ->type_name("NAME");
  verb.add_option_function<std::string>(
          "--id-type",
          [&options](const std::string& name) {
            options.id_type = name == "number"   ? IdType::number
                              : name == "string" ? IdType::string
                                                 : IdType::automatic;
          },
          "Of csv and tsv ids; auto: as the first one looks")
      ->check(CLI::IsMember({"auto", "number", "string"}))
      ->type_name("auto|number|string");
  verb.add_flag_callback(
      "--no-header", [&options] { options.has_header = false; },
      "csv, tsv: the first row is data; fields are numbers from 1");
  return path;
}

Result<std::unique_ptr<RecordReader>> open_records(const TextInput& input) {
  return embd::open_records(input.path, input.options);
}

}  // namespace embd::cli
