// Compiled, not run: what users write fits the types.
import { EmbdError, open, openIndex, openReranker, openTerms, type Hit, type Model } from "embd";
import { open as openLean } from "embd/lean";
import { EmbdWorker, open as openThere, openPool, type ModelPool } from "embd/worker";

export async function use(): Promise<Hit[]> {
  await using model: Model = await open(new URL("https://example.com/m.weights"), {
    compute: "int8",
    sha256: "00",
    onProgress: ({ loaded, total }) => console.log(loaded / (total ?? 1)),
  });
  const vector: Float32Array = await model.encode("a text", { truncateDim: 128 });
  const rows: Float32Array = await model.encode(["a", "b"]);
  const { ids }: { ids: Int32Array } = await model.tokenize("a text");
  // @ts-expect-error: no such option
  await model.encode("a", { pool: "mean" });
  const lean: Model = await openLean("m.weights", { compute: "int8" });
  await lean.close();
  const terms = await openTerms("docs.terms");
  const index = await openIndex("docs.usearch", { model, terms, ids: ["a", "b"] });
  const hits = await index.search("a text", { k: 3, ids: [1, 2n] });
  await index.search(vector, { match: "both", texts: "a text" });
  const [word] = await index.search("a text", { match: "terms" });
  const [match] = await terms.search(await terms.terms("a text"), { k: 1, rows: [0, 1] });
  console.log(word.termScore, match.row, match.score, terms.info.averageLength, await terms.scores("a", [0]));
  const reranker = await openReranker(new Uint8Array());
  const [best] = await reranker.rerank("query", ["a", "b"], { k: 1 });
  console.log(best.score, rows.length, ids.length);
  const worker = await EmbdWorker.start();
  const there = await worker.open("m.weights");
  const same: Model = await openThere("m.weights");
  await Promise.all([there.close(), same.close()]);
  await using pool: ModelPool = await openPool("m.weights", { threads: 2, compute: "int8" });
  const many: Float32Array = await pool.encode(["a", "b"], { truncateDim: 128 });
  console.log(many.length, pool.threads, pool.dim);
  try {
    await there.encode("closed");
  } catch (error) {
    if (error instanceof EmbdError && error.status === "bad_argument") console.log(error.code);
  }
  return hits;
}
