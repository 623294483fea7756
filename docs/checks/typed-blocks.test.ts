import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { PACKAGE_ENTRIES } from "#test/helpers/package-entries.ts";
import { REPOSITORY_ROOT, readSourceFiles } from "#test/helpers/source-files.ts";

/** Pages whose blocks of TypeScript are whole modules. */
const PAGES = [
  "models.md",
  "stores.md",
  "client.md",
  "front-end.md",
  "memory.md",
  "planners.md",
  "operate/user-data.md",
  "security/developers.md",
  "tools/credentials.md",
  "tools/open-api.md",
  "tools/application-integration.md",
  "tools/computer-use.md",
  "embedding.md",
  "operate/analytics.md",
];

const paths = Object.fromEntries([...PACKAGE_ENTRIES].map(([entry, file]) => [entry, [join(REPOSITORY_ROOT, file)]]));
const tsconfig = {
  extends: join(REPOSITORY_ROOT, "tsconfig.json"),
  compilerOptions: {
    paths,
    typeRoots: [join(REPOSITORY_ROOT, "node_modules/@types")],
    // A block may define what the text below it uses.
    noUnusedLocals: false,
  },
  include: ["*.ts"],
};

/** What the compiler reports of the blocks, each a file with the name of its page and its number. */
async function faultsOf(blocks: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "blocks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(REPOSITORY_ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  for (const [name, text] of blocks) writeFileSync(join(folder, name), text);
  const compiler = join(REPOSITORY_ROOT, "node_modules/.bin/tsc");
  const run = promisify(execFile)(compiler, ["--project", folder, "--pretty", "false"], { cwd: folder });
  const output = await run.then(({ stdout }) => stdout).catch(({ stdout }: { stdout: string }) => stdout);
  return output.split("\n").filter((line) => line !== "");
}

function blocksOf(page: string): readonly (readonly [string, string])[] {
  const text = readFileSync(join(REPOSITORY_ROOT, "docs", page), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = ""], index) => [
    `${page.replaceAll("/", "-")}-${index + 1}.ts`,
    block,
  ]);
}

/** The examples in doc comments that are whole modules, each a file with the name of its source. */
function examples(): readonly (readonly [string, string])[] {
  return readSourceFiles().flatMap(({ path, text }) =>
    [...text.matchAll(/@example\n \* ```ts\n([\s\S]*?) \* ```/g)]
      .map(([, block = ""]) => block.replaceAll(/^ \* ?/gm, ""))
      .filter((block) => block.startsWith("import "))
      .map((block, index): [string, string] => [
        `${path.replaceAll("/", "-").replace(/\.ts$/, "")}-${index}.ts`,
        block,
      ]),
  );
}

it("type-checks the blocks of TypeScript in the pages and the examples of the kit", { timeout: 120_000 }, async () => {
  const blocks = new Map([...PAGES.flatMap(blocksOf), ...examples()]);
  expect(blocks.size).toBeGreaterThan(4);
  expect(examples().length).toBeGreaterThan(6);
  expect(await faultsOf(blocks)).toEqual([]);
});

it("finds a block that does not compile", async () => {
  const block = 'import { Gemini } from "fairlead/models";\nnew Gemini({ model: "m", apikey: "k" });\n';
  expect(await faultsOf(new Map([["page.ts", block]]))).toEqual([expect.stringContaining("'apikey' does not exist")]);
});
