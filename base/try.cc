#include "base/try.h"

namespace embd {

std::unexpected<Error> fail(ErrorCode code, std::string what) {
  return std::unexpected(Error(code, std::move(what)));
}

std::unexpected<Error> fail_in(const std::filesystem::path& path, ErrorCode code,
                               std::string what) {
  return std::unexpected(Error(code, std::move(what)).in_file(path.native()));
}

}  // namespace embd
