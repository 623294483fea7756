import { readdir } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import {
  type AppFolder,
  DEFINITION_FILES,
  findAppFolders,
  MODULE_FILES,
  NEVER_APPS,
} from "#kit/definitions/loaders/app-folder.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { DefinitionException } from "#kit/definitions/yaml/definition-problem.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { shownMessage } from "#kit/errors/shown-error.ts";
import { isAbsent } from "#kit/platform/file-errors.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { agentProblems } from "./agent-problems.ts";
import type { CheckedApp, CheckProblem, CheckResult } from "./check-problem.ts";
import { findSource } from "./find-source.ts";
import { loadProblemsOf } from "./load-problems.ts";

/** The longest time for an app to load: a module may wait for something that does not come. */
const DEFAULT_LOAD_MS = 15_000;

export interface CheckOptions {
  readonly loadMs?: number;
  /** Awaited before each app, whose loading blocks the event loop. */
  readonly beforeApp?: () => Promise<void>;
}

/** Loads every app of a folder, without a server, and reports what is wrong. No model is called. */
export async function checkAgents(directory: string, options: CheckOptions = {}): Promise<CheckResult> {
  const { loadMs = DEFAULT_LOAD_MS, beforeApp } = options;
  const root = resolve(directory);
  const { apps, unreadable } = await findAppFolders({ root, files: [...MODULE_FILES, ...DEFINITION_FILES] });
  const loader = new DirectoryAgentLoader({ directory, hotReload: false });
  try {
    const checked: CheckedApp[] = [];
    for (const folder of apps.values()) {
      await beforeApp?.();
      checked.push(await checkApp(folder, { root, loader, loadMs }));
    }
    const blocked = unreadable.map(({ directory: path }): CheckProblem => {
      return { level: "error", file: relative(root, path) || ".", message: "cannot be read: check its permissions." };
    });
    return { apps: checked, problems: [...blocked, ...(await folderProblems(root, directory, [...apps.values()]))] };
  } finally {
    await loader.close();
  }
}

/** Whether nothing is wrong but what is only a warning. */
export function isSound({ apps, problems }: CheckResult): boolean {
  return [...problems, ...apps.flatMap((app) => app.problems)].every(({ level }) => level === "warning");
}

interface Checking {
  readonly root: string;
  readonly loader: DirectoryAgentLoader;
  readonly loadMs: number;
}

async function checkApp(folder: AppFolder, { root, loader, loadMs }: Checking): Promise<CheckedApp> {
  const { name, language } = folder;
  const file = relative(root, folder.file);
  const problems = await Promise.race([loadProblems(folder, file, loader), lateProblem(file, loadMs)]);
  return { name, file, language, problems: [...problems, ...(await hiddenDefinition(folder, root))] };
}

async function loadProblems(
  { name, directory }: AppFolder,
  file: string,
  loader: DirectoryAgentLoader,
): Promise<readonly CheckProblem[]> {
  try {
    const { app } = await loader.loadAgent(name);
    return await Promise.all(
      agentProblems(app).map(async ({ level, message, source, repair }): Promise<CheckProblem> => {
        const place = source === undefined ? undefined : await findSource(directory, source);
        if (place === undefined) return { level, file, message };
        const { line, column, text, before } = place;
        const isCertain = repair !== undefined && repair.from === text && repair.after?.test(before) !== false;
        const certain = isCertain ? { from: repair.from, to: repair.to } : undefined;
        return { level, file: join(file, "..", place.file), line, column, message, repair: certain };
      }),
    );
  } catch (error) {
    if (error instanceof DefinitionException) return loadProblemsOf(error, { name, directory, file });
    const message =
      error instanceof PlatformError
        ? shownMessage(error, { errorDetail: "full", place: "this command" })
        : String(error);
    return [{ level: "error", file, message }];
  }
}

async function lateProblem(file: string, loadMs: number): Promise<readonly CheckProblem[]> {
  await sleep(loadMs);
  const message = `is not loaded after ${loadMs / 1000} s: check what the module waits for.`;
  return [{ level: "error", file, message }];
}

/** Warns about definitions beside a module: the module is the app. */
async function hiddenDefinition(
  { directory, file, language }: AppFolder,
  root: string,
): Promise<readonly CheckProblem[]> {
  if (language === "yaml") return [];
  const names = await readdir(directory);
  const hidden = DEFINITION_FILES.filter((name) => names.includes(name));
  return hidden.map((name) => ({
    level: "warning",
    file: relative(root, join(directory, name)),
    message: `is not used: ${basename(file)} beside it is the app. Remove one of them.`,
  }));
}

const LOOKED_FOR = `${MODULE_FILES.join(", ")}, ${DEFINITION_FILES.join(", ")}`;

async function folderProblems(
  root: string,
  typed: string,
  apps: readonly AppFolder[],
): Promise<readonly CheckProblem[]> {
  if (apps.length === 0) {
    const message = `No agents in "${typed}". Each app is a folder below it with one of these files: ${LOOKED_FOR}.`;
    return [{ level: "error", message }];
  }
  if (apps.some(({ directory }) => directory === root)) return [];
  return [...(await idleFolders(root, apps)), ...prefixedNames(root, typed, apps)];
}

/** Warns about folders that look like apps and are not served. */
async function idleFolders(root: string, apps: readonly AppFolder[]): Promise<readonly CheckProblem[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !/^[._]/.test(entry.name));
  const problems: CheckProblem[] = [];
  for (const { name } of folders) {
    if (NEVER_APPS.has(name) || apps.some((app) => app.directory.startsWith(join(root, name)))) continue;
    const files = await filesIn(join(root, name));
    if (name.includes(".") && files.some((file) => MODULE_FILES.includes(file) || DEFINITION_FILES.includes(file)))
      problems.push({
        level: "warning",
        file: name,
        message: "is not served: the name of an app has no dot. Rename it.",
      });
    else if (files.some((file) => /\.([cm]?[jt]s|ya?ml)$/.test(file)))
      problems.push({ level: "warning", file: name, message: `is not an app: it has none of ${LOOKED_FOR}.` });
  }
  return problems;
}

/** Warns if all apps are in one subfolder of the named folder, because their names then begin with its name. */
function prefixedNames(root: string, typed: string, apps: readonly AppFolder[]): readonly CheckProblem[] {
  const [first] = apps[0]?.name.split(".") ?? [];
  if (first === undefined || !apps.every(({ name }) => name.startsWith(`${first}.`))) return [];
  const better = relative(process.cwd(), join(root, first));
  const message = `The names of all apps begin with "${first}.": name the folder ${better} instead of "${typed}".`;
  return [{ level: "warning", message }];
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
