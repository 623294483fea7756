import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { OPTIONAL_PACKAGES } from "#kit/optional-packages/optional-package.ts";
import { run } from "./commands.ts";
import { outside } from "./outside.ts";

const { app, folder } = outside();
const manifest = JSON.parse(readFileSync(join(app, "node_modules/fairlead/package.json"), "utf8"));
const ENTRIES = Object.keys(manifest.exports).filter((name) => name !== "./package.json");

const AGENT = `import { FunctionTool, LlmAgent } from "fairlead/kit";
import { z } from "zod";

const add = new FunctionTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});

export const rootAgent = new LlmAgent({ name: "adder", model: "demo/chat", instruction: "Add.", tools: [add] });
`;
const ALL_ENTRIES = [
  ...ENTRIES.map((name, index) => `import * as entry${index} from "${name.replace(".", "fairlead")}";`),
  `export const counts = [${ENTRIES.map((_name, index) => `Object.keys(entry${index}).length`).join(", ")}];`,
].join("\n");

/** Each pair of values of two settings is in one of these forms: all sixteen take minutes. */
const FORMS = [
  { moduleResolution: "nodenext", target: "es2022", strict: true, skipLibCheck: false },
  { moduleResolution: "bundler", target: "esnext", strict: true, skipLibCheck: false },
  { moduleResolution: "bundler", target: "es2022", strict: false, skipLibCheck: true },
  { moduleResolution: "nodenext", target: "esnext", strict: false, skipLibCheck: false },
];

function project(name: string, files: Readonly<Record<string, string>>): string {
  const directory = join(app, name);
  mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  return directory;
}

it.each([
  ["typescript-7", FORMS],
  // The older compiler takes ten seconds for a form.
  ["typescript-5", FORMS.slice(0, 2)],
] as const)("%s accepts all entries in every form of project", { timeout: 400_000 }, async (compiler, forms) => {
  const directory = project(compiler, { "agent.ts": AGENT, "entries.ts": ALL_ENTRIES });
  const failures: string[] = [];
  for (const [index, form] of forms.entries()) {
    const module = form.moduleResolution === "bundler" ? "esnext" : "nodenext";
    const file = join(directory, `tsconfig.${index}.json`);
    writeFileSync(file, JSON.stringify({ compilerOptions: { noEmit: true, module, ...form }, include: ["*.ts"] }));
    const tsc = join(folder, "node_modules", compiler, "bin/tsc");
    await run(process.execPath, [tsc, "-p", file], { directory }).catch((error: unknown) => {
      failures.push(`${JSON.stringify(form)}: ${String(error).slice(0, 2000)}`);
    });
  }
  expect(failures).toEqual([]);
});

it("esbuild bundles a program that uses the kit, and it runs", async () => {
  const main = `import { rootAgent } from "./agent.ts";\nconsole.log(rootAgent.name);\n`;
  const directory = project("bundled", { "main.ts": main, "agent.ts": AGENT });
  const bundle = join(folder, "bundle.mjs");
  // The kit imports these when an agent needs them.
  const names = Object.keys(OPTIONAL_PACKAGES).filter((name) => !existsSync(join(app, "node_modules", name)));
  const external = ["@google/genai", ...names].map((name) => `--external:${name}`);
  // Some packages in CommonJS call require.
  const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  const flags = ["--bundle", "--platform=node", "--format=esm", `--banner:js=${banner}`, `--outfile=${bundle}`];
  await run(join(folder, "node_modules/.bin/esbuild"), ["main.ts", ...flags, ...external], { directory });
  expect((await run(process.execPath, [bundle], { directory: folder })).trim()).toBe("adder");
});

it("vitest runs a test that uses fairlead/kit/testing", async () => {
  const directory = project("tested", {
    "agent.ts": AGENT,
    "agent.test.ts": `import { ScriptedModel } from "fairlead/kit/testing";
import { expect, it } from "vitest";
import { rootAgent } from "./agent.ts";
it("has the agent, and a model that is a script", () => {
  expect([rootAgent.name, typeof ScriptedModel]).toEqual(["adder", "function"]);
});
`,
  });
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  expect(await run(process.execPath, [vitest, "run"], { directory })).toMatch(/Tests +1 passed/);
});
