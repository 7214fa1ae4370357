#include "cli/field_options.h"

namespace embd::cli {

void add_field_options(CLI::App& verb, FieldOptions& options) {
  verb.add_option("--section-field", options.sections,
                  "CVC: rows with equal values of this field are a section; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb.add_option("--column-field", options.columns,
                  "CVC: a field of numbers as a column, of type int32 unless said: float32, "
                  "float16, int32, int64, int8, uint8; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME[:TYPE]");
}

}  // namespace embd::cli
