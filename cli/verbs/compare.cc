#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/options/option_scopes.h"
#include "cli/options/read_options.h"
#include "cli/options/values.h"
#include "cli/printable.h"
#include "cli/standard_output.h"
#include "embd/verify.h"

namespace embd::cli {
namespace {

struct Options {
  std::string a;
  std::string b;
  ReadOptions read;  // of both
  double tolerance = 0;
  const Verb* verb = nullptr;
};

Result<ExitCode> compare(const Options& options) {
  EMBD_TRY(check_input_scopes(*options.verb, {options.a, options.b}, options.read));
  const auto a = EMBD_TRY(open_vectors(options.a, options.read));
  const auto b = EMBD_TRY(open_vectors(options.b, options.read));
  const Comparison result = EMBD_TRY(compare_vectors(*a, *b));
  const std::string words = result.mismatch.empty() ? "ids equal, " + result.difference.text()
                                                    : printable(result.mismatch);
  EMBD_TRY(print_to_standard_output(words + "\n"));
  return result.is_equal(options.tolerance) ? ExitCode::good : ExitCode::difference;
}

}  // namespace

void add_compare(Verb& program) {
  auto options = std::make_shared<Options>();
  Verb& verb = program.add_verb("compare",
                                "Ids and values of two vector sets of any formats; exit 5 if they "
                                "differ",
                                [options] { return compare(*options); });
  verb.add_option("A", options->a, "A vector set").required();
  verb.add_option("B", options->b, "Another").required();
  add_read_options(verb, options->read);
  add_real(verb, "--tolerance", options->tolerance, "Largest difference of values allowed (0)")
      .in(OptionGroup::running);
  options->verb = &verb;
}

}  // namespace embd::cli
