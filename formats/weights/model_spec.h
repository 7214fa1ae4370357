#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "embd/model_types.h"
#include "embd/recipe.h"
#include "embd/vector_module.h"
#include "formats/weights/architecture.h"
#include "tokenizer/bpe/options.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/unigram/options.h"

namespace embd {

/// The part of a model after the encoder, which computes the results from the rows of the last
/// layer. Each kind belongs to a public class of models.
enum class HeadKind : std::uint8_t {
  pooling,  ///< Pooling gives a vector for each text: a sentence embedding model.
  /// A linear step, a function and another linear step give logits for a pair of texts, from the
  /// row of its first token: a cross-encoder.
  classifier,
};

/// The function between the two linear steps of a classifier.
enum class HeadActivation : std::uint8_t {
  tanh,
  relu,
  gelu,
};

/// The description of a model without its weights and its vocabulary: its encoder, how texts are
/// prepared for it, and how results are computed from its last rows. It is read from the metadata
/// of an EMBD file or the configurations of a Hugging Face folder; the rest of the library sees
/// only this structure. model_tensors.h names the tensors that a model needs.
struct ModelSpec {
  // The origin of the model.
  std::string name;        ///< "all-MiniLM-L6-v2"
  std::string version;     ///< "1.0.0"
  std::string created_at;  ///< ISO 8601
  /// The SHA-256 of the weights from which the model was converted; empty if not stated.
  std::string source_sha256;
  std::string license;  ///< The license; empty if not stated.

  // The encoder.
  Architecture architecture;
  std::uint32_t hidden = 0;
  std::uint32_t num_layers = 0;  ///< The number of layers; 0 if the model is a table.
  /// The number of attention heads, a divisor of `hidden` if head_size is 0.
  std::uint32_t num_heads = 0;
  /// The number of components of a head; 0 stands for hidden / num_heads.
  std::uint32_t head_size = 0;
  /// The number of heads of keys and values, a divisor of num_heads. Each serves as many heads of
  /// queries. 0 stands for num_heads.
  std::uint32_t num_key_heads = 0;
  std::uint32_t intermediate = 0;
  /// The number of buckets of distances, for RelativeBias::buckets. Other numbers are not known.
  std::uint32_t bias_buckets = 32;
  double layer_norm_eps = 1e-12;
  std::uint32_t vocab_size = 0;  ///< The number of tokens; the word table has a row for each.
  /// The number of positions: the rows of the position table, if there is one.
  std::uint32_t max_positions = 0;
  /// The position of a text's first token; the following tokens have the next positions. In models
  /// of the XLM-R family it is not 0. There, a padding token that is spelled in the text gets the
  /// position before it and is not counted.
  std::uint32_t position_offset = 0;
  /// The number of rows of the table of token types; 0 if the model has no such table.
  std::uint32_t token_types = 2;

  // How texts are prepared.
  TokenizerKind tokenizer = TokenizerKind::wordpiece;
  PairTemplate pair_template = PairTemplate::bert;
  /// Tokens besides the five special ones that are found in texts as a whole, and special ones with
  /// rules of their own.
  std::vector<AddedToken> added_tokens;
  bool do_lower_case = true;  ///< For WordPiece: false keeps upper case.
  /// For WordPiece: whether accents are stripped; the same as do_lower_case if it is not set.
  std::optional<bool> strip_accents;
  bpe::Rules bpe;  ///< Only for BPE.
  // Only for Unigram: how texts are split into words, and how characters are replaced.
  unigram::WordOptions words;
  unigram::CharacterMapRule normalizer_rule = unigram::CharacterMapRule::clusters_of_unicode_17;
  /// The piece of unknown characters, if it is not the unknown token.
  std::optional<std::int32_t> unknown_piece;
  bool byte_fallback = false;  ///< True if unknown characters become the pieces of their bytes.
  /// True if a mask token that is spelled in a text removes the white space before it.
  bool mask_lstrip = true;

  /// The number of tokens to which a text is truncated, from least_length() to max_tokens().
  std::uint32_t max_seq_length = 0;
  TruncationSide truncation_side = TruncationSide::right;
  /// The prompts. In an opened model, "query" and "document" are always among them, with an empty
  /// text if the model has no such prompt.
  std::vector<Prompt> prompts;
  std::string default_prompt_name;  ///< The name of one of `prompts`; empty if there is no default.

  // How results are computed from the last rows.
  HeadKind head = HeadKind::pooling;

  // Only for pooling.
  Pooling pooling = Pooling::mean;
  std::vector<Pooling> joined_poolings;  ///< The poolings for Pooling::joined, in their order.
  std::vector<VectorModule> modules;     ///< The steps between pooling and `normalize`.
  bool normalize = true;
  /// The number of leading components of a vector that are kept after normalizing, at most
  /// full_dim().
  std::uint32_t dim = 0;
  /// The similarity that the model was trained for, such as "cosine"; empty if not stated.
  std::string similarity;

  // Only for a classifier.
  std::uint32_t num_labels = 0;     ///< The number of logits of a pair.
  std::vector<std::string> labels;  ///< The names of the num_labels logits.
  /// The function between the two linear steps.
  HeadActivation head_activation = HeadActivation::tanh;
  bool head_norm = false;  ///< True if a LayerNorm follows that function.
  /// The row that the classifier reads: the first one, or the mean of all (Pooling::cls or mean).
  Pooling classifier_pooling = Pooling::cls;
  ScoreActivation score_activation = ScoreActivation::identity;

  /// Returns the number of components that a pooling makes of rows of `hidden` components.
  std::uint32_t pooled_dim(Pooling of) const noexcept {
    const std::size_t parts = of == Pooling::joined ? joined_poolings.size() : 1;
    return hidden * static_cast<std::uint32_t>(parts);
  }
  /// Returns the number of components of a vector before the last ones are left out.
  std::uint32_t full_dim() const noexcept {
    return modules.empty() ? pooled_dim(pooling) : modules.back().out;
  }
  /// Returns the greatest number of tokens of a text.
  std::uint32_t max_tokens() const noexcept { return max_positions - position_offset; }
  /// Returns the smallest number of tokens to which a text can be truncated: the special tokens and
  /// one more. For a model of pairs, it is the special tokens of a pair and one token of each text.
  std::uint32_t least_length() const;
  /// Returns the special tokens around the model's texts.
  TokenTemplate token_template(const SpecialTokenIds& special = {}) const {
    return embd::token_template(pair_template, special, token_types > 0);
  }
  /// Returns true if the row of a token is its row of the word table, and nothing else: a static
  /// embedding model, in which texts may have no tokens.
  bool is_table() const noexcept {
    return num_layers == 0 && architecture.positions == Positions::none && token_types == 0;
  }
  /// Returns all tokens that are found in texts as a whole: the special tokens and added_tokens.
  std::vector<AddedToken> tokens_in_texts(const SpecialTokenIds& special) const;
  /// The sizes of heads. Files whose heads together have more than most_head_components are
  /// refused, so that the products below are exact.
  std::uint32_t head_dim() const noexcept {
    return head_size != 0 ? head_size : hidden / num_heads;
  }
  std::uint32_t key_heads() const noexcept {
    return num_key_heads != 0 ? num_key_heads : num_heads;
  }
  /// Returns the number of components of a token's queries.
  std::uint32_t query_width() const noexcept {
    return head_size != 0 ? num_heads * head_size : hidden;
  }
  /// Returns the number of components of a token's keys, and of its values.
  std::uint32_t key_width() const noexcept {
    return num_key_heads != 0 ? num_key_heads * head_dim() : query_width();
  }
  static constexpr std::uint32_t most_head_components = std::uint32_t{1} << 20;
  bool operator==(const ModelSpec&) const = default;
};

/// A pointer to a number of the spec, such as &ModelSpec::hidden.
using SpecNumber = std::uint32_t ModelSpec::*;

/// Returns a note if one of a model's names, such as "multilingual-e5-small", belongs to a family
/// whose texts begin with prompts, and none of the model's `prompts` has a text.
std::optional<ModelNote> note_missing_prompts(std::span<const std::string> names,
                                              std::span<const Prompt> prompts);

}  // namespace embd
