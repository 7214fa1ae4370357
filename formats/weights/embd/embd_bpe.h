#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "embd/error.h"
#include "formats/weights/embd/embd_index.h"
#include "formats/weights/embd/embd_writer.h"
#include "tokenizer/bpe/bpe_tokenizer.h"

namespace embd {

class WeightFile;

/// Finds the merges of a file: pairs of ids, one behind the other. Refers to the file. Fails with
/// the errors of find_tokenizer_table(), and with tensor_wrong_shape if they are no pairs.
Result<std::span<const std::uint32_t>> find_merges(const TensorIndex& index,
                                                   std::uint64_t index_at);

/// Makes the tokenizer of a file with a BPE vocabulary. The file must outlive the tokenizer. Fails
/// with the errors of BpeTokenizer::create().
Result<std::unique_ptr<const BpeTokenizer>> make_bpe_tokenizer(const WeightFile& file);

/// Checks that the tokenizer can be made. Fails with the errors of make_bpe_tokenizer().
Result<void> check_bpe(const WeightFile& file);

/// Returns the tensor of the merges, to be written. Copies them.
TensorSource merges_tensor(std::span<const std::uint32_t> merges);

}  // namespace embd
