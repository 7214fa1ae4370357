#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "embd/vectors.h"
#include "formats/ids.h"

namespace embd {
namespace {

Result<void> check_ids(const Ids& ids, std::uint64_t num_rows) {
  if (count_ids(ids).value_or(num_rows) != num_rows) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} ids for {} rows", *count_ids(ids), num_rows));
  }
  const auto* strings = std::get_if<std::vector<std::string>>(&ids);
  if (strings == nullptr) return {};
  for (const std::string& id : *strings)
    if (find_invalid_utf8(id))
      return fail(ErrorCode::invalid_utf8, fmt::format("the id {:?}", id.substr(0, 80)));
  return {};
}

}  // namespace

Result<void> VectorWriter::append(MatrixView rows, const Ids& ids) {
  if (rows.rows() == 0) return {};
  if (rows.cols() != dim_) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("rows of {} values, expected {}", rows.cols(), dim_));
  }
  EMBD_TRY(check_ids(ids, rows.rows()));
  if (id_kind_.value_or(ids.index()) != ids.index())
    return fail(ErrorCode::invalid_argument, "ids of another kind than the rows before");
  id_kind_ = ids.index();
  EMBD_TRY(append_rows(rows, ids));
  num_rows_ += rows.rows();
  return {};
}

Result<void> VectorWriter::prepare() {
  if (prepared_) return {};
  EMBD_TRY(prepare_file());
  prepared_ = true;
  return {};
}

Result<void> VectorWriter::finish() {
  EMBD_TRY(prepare());
  return finish_file();
}

}  // namespace embd
