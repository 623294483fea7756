import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { describe, expect, it, onTestFinished } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";

const MAX_BYTES = 23 * 1024;
const MAX_COMPRESSED_BYTES = 9 * 1024;

describe("the client's bundle for browsers", () => {
  it("contains the client alone, without any import, in at most 23 KB, 9 KB compressed", async () => {
    verifies("platform:client:browser");
    await using bundle = await rolldown({
      input: join(import.meta.dirname, "index.ts"),
      platform: "browser",
      onLog: (_level, { message = "" }) => {
        throw new Error(message);
      },
    });
    const { output } = await bundle.generate({ format: "esm", minify: true });
    const [{ code, imports, dynamicImports, modules }] = output;
    expect(output).toHaveLength(1);
    expect([...imports, ...dynamicImports]).toEqual([]);
    expect(Object.keys(modules).filter((path) => !path.startsWith(join(import.meta.dirname, "/")))).toEqual([]);
    expect(code).not.toMatch(/\b(?:process|Buffer|require)\b/);
    expect(code.length).toBeLessThan(MAX_BYTES);
    expect(gzipSync(code).length).toBeLessThan(MAX_COMPRESSED_BYTES);
  });
});

/** What the compiler reports of a module in a project whose only types are those of browsers. */
async function faultsInPage(text: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const own = { lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"], types: [], skipLibCheck: false };
  const paths = { "fairlead/client": [join(import.meta.dirname, "index.ts")] };
  const compilerOptions = { ...own, paths, module: "preserve", moduleResolution: "bundler", declaration: false };
  const extended = join(REPOSITORY_ROOT, "tsconfig.json");
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: extended, compilerOptions, include: ["*.ts"] }),
  );
  writeFileSync(join(folder, "page.ts"), text);
  const compiler = join(REPOSITORY_ROOT, "node_modules/.bin/tsc");
  const run = promisify(execFile)(compiler, ["--project", folder, "--pretty", "false"], { cwd: folder });
  const output = await run.then(({ stdout }) => stdout).catch(({ stdout }: { stdout: string }) => stdout);
  return output.split("\n").filter((line) => line !== "");
}

describe("the client's types", () => {
  const use = (member: string): string =>
    `import { createClient } from "fairlead/client";\nexport const x = createClient({ baseUrl: "/" }).${member};\n`;

  it("need no types of Node", async () => {
    verifies("platform:client:browser");
    expect(await faultsInPage(use("runs"))).toEqual([]);
    expect(await faultsInPage(use("walks"))).toEqual([expect.stringContaining("'walks' does not exist")]);
  });
});
