/**
 * The error that every function of this package throws. `code` is the kind of failure, such as
 * `bad_magic` or `not_found`. `status` is its class: `bad_argument`, `bad_input`,
 * `recipe_mismatch`, `io_failed` or `cancelled`. Both are the words of the C++ library.
 */
export class EmbdError extends Error {
  /** @param {{code: string, status: string, message: string, file?: string, line?: number, offset?: number}} fields */
  constructor(fields, options) {
    super(fields.message, options);
    this.name = "EmbdError";
    this.code = fields.code;
    this.status = fields.status;
    for (const name of ["file", "line", "offset"])
      if (fields[name] !== undefined) this[name] = fields[name];
  }
}

export function badArgument(message) {
  return new EmbdError({ code: "invalid_argument", status: "bad_argument", message });
}

export function ioFailed(message, cause) {
  return new EmbdError({ code: "io_failed", status: "io_failed", message }, { cause });
}

/** Throws an EmbdError with the code `cancelled` if `signal` has been aborted. */
export function throwIfAborted(signal) {
  if (signal?.aborted)
    throw new EmbdError(
      { code: "cancelled", status: "cancelled", message: "the call was stopped by its AbortSignal" },
      { cause: signal.reason },
    );
}
