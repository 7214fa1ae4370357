#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "embd/prompt.h"
#include "embd/recipe.h"
#include "embd/score_activation.h"
#include "tokenizer/tokenizer_kind.h"
#include "tokenizer/unigram/options.h"

namespace embd {

/// The function between the two linear steps of a feed-forward.
enum class Activation : std::uint8_t {
  gelu,  ///< the exact one, by the error function
};

/// The part behind the encoder, which makes a model's results of the last layer's rows. Each kind
/// is a class of models with a public class of its own.
enum class HeadKind : std::uint8_t {
  pooling,     ///< a vector of a text: a sentence embedding model
  classifier,  ///< logits of a pair of texts, by BERT's pooler and a linear step: a cross-encoder
};

/// Everything that is known of a model but its weights and its vocabulary: a BERT encoder, what is
/// put into it and what is made of its last rows. An EMBD file says it in its metadata, a folder of
/// Hugging Face in its configurations; both are read into this structure, and the rest of the
/// library sees nothing else. model_tensors.h names the tensors that a spec asks for.
struct ModelSpec {
  // Where the model comes from.
  std::string name;           ///< "all-MiniLM-L6-v2"
  std::string version;        ///< "1.0.0"
  std::string created_at;     ///< ISO 8601
  std::string source_sha256;  ///< of the weights it was converted from; empty: not said
  std::string license;        ///< empty: not said

  // The encoder. Attention is full, and every norm follows the sum that it is of.
  std::uint32_t hidden = 0;
  std::uint32_t num_layers = 0;
  std::uint32_t num_heads = 0;  ///< divides `hidden`
  std::uint32_t intermediate = 0;
  Activation activation = Activation::gelu;
  double layer_norm_eps = 1e-12;
  std::uint32_t vocab_size = 0;     ///< tokens; the word table has a row for each
  std::uint32_t max_positions = 0;  ///< rows of the position table
  /// The position of a text's first token; those behind it follow. Where it is not 0, a token of
  /// padding that the text spells has the position before, and is not counted: the XLM-R family.
  std::uint32_t position_offset = 0;
  std::uint32_t token_types = 2;  ///< rows of the table of token types

  // Texts on their way into it.
  TokenizerKind tokenizer = TokenizerKind::wordpiece;
  bool do_lower_case = true;  ///< of WordPiece: false keeps case and accents
  // Of Unigram: how texts fall into words, and what becomes of characters.
  unigram::WordOptions words;
  unigram::CharacterMapRule normalizer_rule = unigram::CharacterMapRule::clusters_of_unicode_17;
  bool byte_fallback = false;  ///< unknown characters become the pieces of their bytes
  bool mask_lstrip = true;     ///< a mask token that a text spells swallows white space before it

  std::uint32_t max_seq_length = 0;  ///< tokens a text is cut to; least_length() to max_tokens()
  TruncationSide truncation_side = TruncationSide::right;
  /// "query" and "document" are always among those of a model that was opened, with no text where
  /// it has none.
  std::vector<Prompt> prompts;
  std::string default_prompt_name;  ///< one of `prompts`, or empty: none

  // The use of its last rows.
  HeadKind head = HeadKind::pooling;

  // By pooling.
  Pooling pooling = Pooling::mean;
  bool normalize = true;
  /// Leading components of a vector that are kept, after it was normalized; at most `hidden`.
  std::uint32_t dim = 0;
  std::string similarity;  ///< what the model was trained for, such as "cosine"; empty: not said

  // By a classifier.
  std::uint32_t num_labels = 0;     ///< logits of a pair
  std::vector<std::string> labels;  ///< their names, num_labels of them
  ScoreActivation score_activation = ScoreActivation::identity;

  /// The most tokens that a text can have.
  std::uint32_t max_tokens() const noexcept { return max_positions - position_offset; }
  /// The fewest that a text can be cut to: one beside the special ones.
  std::uint32_t least_length() const;
  std::uint32_t head_dim() const noexcept { return hidden / num_heads; }
  bool operator==(const ModelSpec&) const = default;
};

/// A number of the spec, such as &ModelSpec::hidden.
using SpecNumber = std::uint32_t ModelSpec::*;

}  // namespace embd
