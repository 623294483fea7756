import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { agentConfigSchema } from "#kit/definitions/yaml/agent-config-schema.ts";
import { codeOf } from "#kit/platform/file-errors.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { Version } from "#kit/version.ts";
import { UsageError } from "../parse-arguments.ts";
import { projectFiles } from "./project-template.ts";
import { TEMPLATES } from "./templates/all-templates.ts";
import { BASIC, BASIC_YAML } from "./templates/basic.ts";
import type { Template } from "./templates/template.ts";

export interface CreateOptions {
  /** The folder of the project, which may exist if it is empty; its last part is the name of the app. */
  readonly path: string;
  /** The name of the kind of project. */
  readonly template: string;
  /** Whether the agent is a YAML definition instead of a module. */
  readonly isYaml: boolean;
  /** The folder that `path` is relative to. */
  readonly directory: string;
}

// The name of the project's folder, of the app and of the agent.
const PROJECT_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/**
 * Writes a project, and returns a text with the next steps. Throws `UsageError` for a wrong name, for a template that does
 * not exist and for a folder that has files.
 */
export async function create({ path, template: kind, isYaml, directory }: CreateOptions): Promise<string> {
  const template = templateOf(kind, isYaml);
  const folder = resolve(directory, path);
  const name = basename(folder);
  if (!PROJECT_NAME.test(name) || name === "user") {
    throw new UsageError(
      `"${name}" is not a name for a project: give the folder a name of letters, digits, _ and -, a letter first, and not "user".`,
    );
  }
  if (template.agentNames?.includes(name) === true) {
    throw new UsageError(
      `The template ${kind} has an agent "${name}" already: give the folder another name. Nothing was written.`,
    );
  }
  if (await hasFiles(folder)) {
    throw new UsageError(`The folder ${path} has files already: choose another one. Nothing was written.`);
  }
  const files: Readonly<Record<string, string>> = {
    ...projectFiles({ name, version: Version.FAIRLEAD_VERSION }, template),
    ...(isYaml && { "agent-config.schema.json": `${JSON.stringify(agentConfigSchema(), null, 2)}\n` }),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text, { flag: "wx" });
  }
  await gitInit(folder);
  const place = relative(directory, folder);
  const agent = join(place, "agents", name, isYaml ? "root_agent.yaml" : "agent.ts");
  return `Created ${name}. The agent is ${agent}. Next:

${place === "" ? "" : `  cd ${place}\n`}  npm install
  npm run dev     in the browser; restarts when you change the agent
  npm run chat    in the terminal

Say "${template.firstMessage}". It uses a demo model, which needs no key. README.md describes how to set a real one.`;
}

/** Throws `UsageError` for a name that does not exist, and for YAML where there is only TypeScript. */
export function templateOf(name: string, isYaml: boolean): Template {
  const template = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  const names = Object.keys(TEMPLATES);
  if (template === undefined) {
    const hint = suggestion(name, names) || ".";
    throw new UsageError(`There is no template "${name}"${hint} Templates: ${names.join(", ")}. Nothing was written.`);
  }
  if (!isYaml) return template;
  if (template !== BASIC) throw new UsageError(`--yaml belongs to the template basic: leave out --template ${name}.`);
  return BASIC_YAML;
}

async function hasFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some((name) => name !== ".git");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return false;
    if (code === "ENOTDIR") return true;
    throw error;
  }
}

const run = promisify(execFile);

/** Makes the folder a Git repository. Does nothing inside a repository, and where Git is missing. */
export async function gitInit(folder: string): Promise<void> {
  try {
    await run("git", ["rev-parse", "--is-inside-work-tree"], { cwd: folder });
  } catch {
    // Not in a repository, or there is no Git: then the next call fails too.
    await run("git", ["init", "--quiet"], { cwd: folder }).catch(() => undefined);
  }
}
