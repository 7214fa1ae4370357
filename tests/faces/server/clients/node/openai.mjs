// Embeds the texts on standard input with the package openai of FOLDER/node_modules:  openai.mjs FOLDER URL
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, baseURL] = process.argv.slice(2);
const { default: OpenAI } = await import(pathToFileURL(createRequire(folder + "/").resolve("openai")));
const client = new OpenAI({ baseURL, apiKey: "k" });
const input = JSON.parse(readFileSync(0, "utf8"));
const answer = await client.embeddings.create({ model: "m", input });
try {
  await client.embeddings.create({ model: "m", input: [] });
  throw new Error("an empty list was taken");
} catch (error) {
  if (error.status !== 400 || !error.message.includes("input")) throw error;
}
console.log(JSON.stringify(answer.data.map((row) => Array.from(row.embedding))));
