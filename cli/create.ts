import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { agentConfigSchema } from "#kit/definitions/yaml/agent-config-schema.ts";
import { Version } from "#kit/version.ts";
import { UsageError } from "./parse-arguments.ts";
import { type ProjectNames, projectFiles, typescriptAgent, yamlAgent } from "./project-template.ts";

export interface CreateOptions {
  readonly name: string;
  /** Whether the agent is a YAML definition instead of a module. */
  readonly isYaml: boolean;
  /** The folder in which the project's folder is created. */
  readonly parent: string;
}

// The name of the project's folder, of the app and of the agent.
const PROJECT_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/**
 * Writes a project with one agent, and returns a text with the next steps. Throws `UsageError` for a wrong name and for
 * a folder that has files.
 */
export async function create({ name, isYaml, parent }: CreateOptions): Promise<string> {
  if (!PROJECT_NAME.test(name) || name === "user") {
    throw new UsageError(
      `"${name}" is no name for a project: use letters, digits, _ and -, a letter first, and not "user".`,
    );
  }
  const folder = join(parent, name);
  if (await hasFiles(folder)) {
    throw new UsageError(`The folder ${name} has files already: choose another name. Nothing was written.`);
  }
  const names: ProjectNames = { name, version: Version.AGENTPLANE_VERSION };
  const files: Readonly<Record<string, string>> = {
    ...projectFiles(names),
    ...(isYaml ? yamlAgent(names) : typescriptAgent(names)),
    ...(isYaml && { "agent-config.schema.json": `${JSON.stringify(agentConfigSchema(), null, 2)}\n` }),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: "wx" });
  }
  const agent = isYaml ? `agents/${name}/root_agent.yaml` : `agents/${name}/agent.ts`;
  return `Created ${name}. The agent is ${name}/${agent}. Next:

  agentplane serve ${name}/agents    in the browser
  agentplane run ${name}/agents      in the terminal

It uses a demo model, which needs no key. Its README describes how to set a real one.`;
}

async function hasFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return false;
    if (code === "ENOTDIR") return true;
    throw error;
  }
}
