#include "jobs/outputs/term_output.h"

#include <algorithm>

#include "base/try.h"
#include "index/terms/term_index_impl.h"

namespace embd {

bool is_term_index(const std::filesystem::path& path) {
  return without_trailing_slash(path).extension() == ".terms";
}

Result<std::filesystem::path> take_term_index(std::vector<std::filesystem::path>& outputs) {
  const auto found = std::ranges::find_if(outputs, is_term_index);
  if (found == outputs.end()) return std::filesystem::path();
  std::filesystem::path path = without_trailing_slash(*found);
  outputs.erase(found);
  if (std::ranges::any_of(outputs, is_term_index))
    return fail(ErrorCode::invalid_argument,
                "several outputs are term indexes (.terms), expected at most one");
  if (outputs.empty())
    return fail_in(path, ErrorCode::invalid_argument,
                   "a term index is written beside vectors, but there is no other output: name a "
                   "file for the vectors, too");
  return path;
}

Result<TermOutput> TermOutput::create(const std::filesystem::path& path,
                                      const TermOptions& options) {
  OutputSet set = EMBD_TRY(OutputSet::create(path, term_files::check_replaceable));
  return TermOutput(std::move(set), EMBD_TRY(TermIndexBuilder::create(options)));
}

Result<void> TermOutput::prepare() {
  if (is_prepared_) return {};
  const TermIndex index = EMBD_TRY(std::move(builder_).finish());
  if (auto saved = index.save(set_.staged(set_.main())); !saved)
    return std::unexpected(set_.as_seen(std::move(saved).error()));
  EMBD_TRY(set_.prepare());
  is_prepared_ = true;
  return {};
}

Result<void> TermOutput::finish() {
  EMBD_TRY(prepare());
  return set_.finish();
}

}  // namespace embd
