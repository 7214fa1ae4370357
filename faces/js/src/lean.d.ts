/**
 * The functions of "embd" that embed texts, over modules of about 55 % of the size, which contain no
 * indexes and rerankers. The vectors have the same bytes.
 */

export { about, EmbdError, hasRelaxedSimd, open } from "./embd.js";
export type {
  EncodeOptions,
  Model,
  ModelInfo,
  OpenOptions,
  Progress,
  ReadOptions,
  Source,
  Tokens,
  Wasm,
  Window,
} from "./embd.js";
