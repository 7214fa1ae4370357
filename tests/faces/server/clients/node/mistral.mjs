// Embeds the texts on standard input with the package @mistralai/mistralai of FOLDER/node_modules:  mistral.mjs FOLDER URL
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, url] = process.argv.slice(2);
const { Mistral } = await import(pathToFileURL(`${folder}/node_modules/@mistralai/mistralai/esm/index.js`));
const client = new Mistral({ serverURL: url.slice(0, -"/v1".length), apiKey: "k" });
const inputs = JSON.parse(readFileSync(0, "utf8"));
const answer = await client.embeddings.create({ model: "m", inputs });
if (answer.id !== (await client.embeddings.create({ model: "m", inputs })).id) throw new Error("equal requests have other ids");
console.log(JSON.stringify(answer.data.map((row) => row.embedding)));
