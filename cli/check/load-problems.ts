import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DefinitionException, DefinitionProblem } from "#kit/definitions/yaml/definition-problem.ts";
import { redactText } from "#kit/errors/redact.ts";
import type { CheckProblem } from "./check-problem.ts";
import { findImport, type Repair, type SourcePlace } from "./find-source.ts";

/** Where an app's files are, and how its problems name them. */
export interface AppFiles {
  readonly name: string;
  readonly directory: string;
  /** From the folder of agents. */
  readonly file: string;
}

/** The problems of a definition or module that cannot be loaded, with their places, fixes, and repairs that are certain. */
export function loadProblemsOf(error: DefinitionException, app: AppFiles): Promise<readonly CheckProblem[]> {
  return Promise.all(error.problems.map((problem) => problemOf(problem, app)));
}

async function problemOf(problem: DefinitionProblem, app: AppFiles): Promise<CheckProblem> {
  const { file: label, line, column, message, logDetail } = problem;
  // A label begins with the app's name, whose dots stand for folders.
  const file = join(app.file, "..", label.slice(app.name.length + 1));
  const text = redactText(logDetail === undefined ? message : `${message} ${logDetail}`);
  const missing = await missingImport(text, app.directory);
  if (missing !== undefined) {
    const { place, repair, fix } = missing;
    const at = place === undefined ? { file } : { ...place, file: join(app.file, "..", place.file) };
    return {
      level: "error",
      file: at.file,
      line: place?.line,
      column: place?.column,
      message: `${text} ${fix}`,
      repair,
    };
  }
  const fix = / does not provide an export named/.test(text)
    ? '. Import types with "import type", and check the name.'
    : "";
  const renaming = misspeltField(message);
  const path = join(app.directory, label.slice(app.name.length + 1));
  const isCertain = renaming !== undefined && column !== undefined && !(await hasField(path, renaming.to, column));
  return { level: "error", file, line, column, message: `${text}${fix}`, repair: isCertain ? renaming : undefined };
}

interface MissingImport {
  readonly place?: SourcePlace | undefined;
  readonly repair?: Repair | undefined;
  readonly fix: string;
}

/** An import that Node does not find: of a package, or of a file whose extension is missing. */
async function missingImport(message: string, directory: string): Promise<MissingImport | undefined> {
  const [, packageName] = /Cannot find package '((?!fairlead')[^']+)'/.exec(message) ?? [];
  if (packageName !== undefined) {
    const place = await findImport(directory, (path) => path === packageName || path.startsWith(`${packageName}/`));
    return { place, fix: `Install it: npm install ${packageName}` };
  }
  const [, file] = /Cannot find module '([^']*)'/.exec(message) ?? [];
  if (file === undefined || /\.[a-z]{1,4}$/.test(file)) return undefined;
  const place = await findImport(directory, (path) => path.startsWith(".") && path.endsWith(`/${file}`));
  const fix = 'Write the file\'s extension in the import, as in "./tools.ts".';
  if (place === undefined) return { fix };
  const extension = [".ts", ".mts", ".js", ".mjs"].find((end) =>
    existsSync(join(directory, dirname(place.file), `${place.text}${end}`)),
  );
  const repair = extension === undefined ? undefined : { from: place.text, to: `${place.text}${extension}` };
  return { place, repair, fix };
}

/** Whether the definition has the field at that column, perhaps beside the misspelt one. */
async function hasField(path: string, field: string, column: number): Promise<boolean> {
  const lines = (await readFile(path, "utf8")).split("\n");
  const spellings = [field, field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
  return lines.some((line) => spellings.some((one) => line.startsWith(`${one}:`, column - 1)));
}

/** Fields of definitions have two spellings: the repair keeps the one that is written. */
function misspeltField(message: string): Repair | undefined {
  const [, from, near] = /^Unknown field "([^"]+)": did you mean "([^"]+)"\?/.exec(message) ?? [];
  if (from === undefined || near === undefined) return undefined;
  const to = from.includes("_") ? near.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : near;
  return { from, to };
}
