import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";

/** A fault that can be switched on in the instrumented code. */
export type Mutant = Awaited<ReturnType<Instrumenter["instrument"]>>["mutants"][number];

// No test of one process reads these.
const NOT_COPIED = /^(bench|charts|docs)\//;

// Texts of errors and logs are not behaviour; the linter and types check the form of literals.
const EXCLUDED_MUTATIONS = ["StringLiteral", "ObjectLiteral", "ArrayDeclaration", "Regex"];

/** Copies the repository to the folder `copy`, with all faults of the target, a file or folder, in its code. */
export async function plantFaults(root: string, copy: string, target: string): Promise<readonly Mutant[]> {
  copyRepository(root, copy);
  const names = target.endsWith(".ts") ? [target] : globSync(`${target}/**/*.ts`, { cwd: root });
  const files = names
    .filter((name) => !name.endsWith(".test.ts"))
    .sort()
    .map((name) => ({ name: join(copy, name), mutate: true, content: readFileSync(join(root, name), "utf8") }));
  const { files: instrumented, mutants } = await new Instrumenter(SILENT).instrument(files, {
    plugins: null,
    ignorers: [],
    excludedMutations: EXCLUDED_MUTATIONS,
  });
  for (const { name, content } of instrumented) writeFileSync(name, content);
  return mutants;
}

/** So many of the faults, the same ones for each call with the same faults; all of them if there are no more. */
export function sampleOf(mutants: readonly Mutant[], size: number): readonly Mutant[] {
  const random = new SeededRandom(1);
  const order = mutants.map((mutant) => ({ mutant, place: random.next() }));
  return order
    .sort((a, b) => a.place - b.place)
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

function copyRepository(root: string, copy: string): void {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 1 << 26,
  });
  const names = list.toString().split("\0");
  for (const name of names) {
    if (name === "" || NOT_COPIED.test(name) || !existsSync(join(root, name))) continue;
    cpSync(join(root, name), join(copy, name));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

const ignore = (): void => {};
const SILENT = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
};
