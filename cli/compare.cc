#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/read_options.h"
#include "cli/standard_output.h"
#include "embd/vectors.h"
#include "jobs/difference.h"
#include "jobs/row_ids.h"

namespace embd::cli {
namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  ReadOptions read;  // of both
  double tolerance = 0;
};

Result<ExitCode> differ(const std::string& how) {
  EMBD_TRY(print_to_standard_output(how + "\n"));
  return ExitCode::difference;
}

Result<Difference> compare_values(const VectorReader& a, const VectorReader& b) {
  const std::uint64_t dim = a.info().dim;
  const std::uint64_t step =
      std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / std::max<std::uint64_t>(1, dim));
  std::vector<float> rows_a;
  std::vector<float> rows_b;
  Difference difference;
  for (std::uint64_t first = 0; first < a.info().num_rows; first += step) {
    const std::uint64_t count = std::min(step, a.info().num_rows - first);
    rows_a.resize(count * dim);
    rows_b.resize(count * dim);
    EMBD_TRY(a.read(first, count, rows_a));
    EMBD_TRY(b.read(first, count, rows_b));
    for (std::uint64_t i = 0; i < count; ++i) {
      difference.add_row(first + i, std::span(rows_a).subspan(i * dim, dim),
                         std::span(rows_b).subspan(i * dim, dim));
    }
  }
  return difference;
}

Result<ExitCode> compare(const CompareOptions& options) {
  const auto a = EMBD_TRY(open_vectors(options.a, options.read));
  const auto b = EMBD_TRY(open_vectors(options.b, options.read));
  const VectorSetInfo& info_a = a->info();
  const VectorSetInfo& info_b = b->info();
  if (info_a.num_rows != info_b.num_rows)
    return differ(fmt::format("{} rows and {} rows", info_a.num_rows, info_b.num_rows));
  if (info_a.dim != info_b.dim)
    return differ(fmt::format("rows of {} and of {} values", info_a.dim, info_b.dim));

  const auto ids_a = id_strings(EMBD_TRY(a->ids()), info_a.num_rows);
  const auto ids_b = id_strings(EMBD_TRY(b->ids()), info_b.num_rows);
  const auto [at_a, at_b] = std::ranges::mismatch(ids_a, ids_b);
  if (at_a != ids_a.end()) {
    return differ(fmt::format("row {} has ids {:?} and {:?}", at_a - ids_a.begin(), *at_a, *at_b));
  }
  const Difference difference = EMBD_TRY(compare_values(*a, *b));
  EMBD_TRY(print_to_standard_output("ids equal, " + difference.text() + "\n"));
  return difference.largest() > options.tolerance ? ExitCode::difference : ExitCode::good;
}

}  // namespace

void add_compare(Commands& commands) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App& verb = commands.add(commands.app(), "compare",
                                "Ids and values of two vector sets of any formats; exit 5 if they "
                                "differ",
                                [options] { return compare(*options); });
  verb.add_option("A", options->a, "A vector set")->required()->type_name("");
  verb.add_option("B", options->b, "Another")->required()->type_name("");
  add_read_options(verb, options->read);
  verb.add_option("--tolerance", options->tolerance, "Largest difference of values allowed (0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X");
}

}  // namespace embd::cli
