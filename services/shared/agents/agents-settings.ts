import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";

/** Settings of processes that load agents. */
export const agentsConfigSchema = Type.Object({
  AGENTS_DIR: Type.String({ default: "agents", description: "Folder with one folder or file for each app." }),
  HOT_RELOAD: Type.Boolean({ default: true, description: "Reload YAML agents when their files change." }),
  AGENTS_LOADER: Type.Enum(["directory", "config", "compiled", "static"], {
    default: "directory",
    description:
      "Which agents are served: modules and YAML definitions of AGENTS_DIR (`directory`), its definitions alone (`config`), what a build tool has compiled in SOURCE_DIR (`compiled`), or what AGENTS_MODULE exports (`static`).",
  }),
  SOURCE_DIR: Type.String({
    default: "",
    description: "With AGENTS_LOADER=compiled: the project, or a folder of projects; AGENTS_DIR when empty.",
  }),
  BUILD_OUTPUT_DIRS: Type.Array(Type.String(), {
    default: ["dist", "build", "out"],
    description:
      "With AGENTS_LOADER=compiled: where build tools write in a project, comma separated; an agent that is in two is served from the first.",
  }),
  AGENTS_MODULE: Type.String({
    default: "",
    description:
      "With AGENTS_LOADER=static: a module that exports `agents`, a list of agents or apps, or an `agentLoader`.",
  }),
  AGENTS_INDEX: Type.String({
    default: "",
    description:
      "A YAML file that lists versions of apps, each with its folder and its share of the new sessions, which are served side by side; read again when it changes. `fairlead agents` writes it.",
  }),
  AGENT_REVISION_SALT: Type.String({
    default: "",
    description:
      "Part of the agent revision of each app, besides its sources: what else decides how agents behave here, such as the digest of the image. The same in all processes that execute the same agents.",
  }),
});

export type AgentsConfig = ConfigOf<typeof agentsConfigSchema>;

/** The folder that `AGENTS_LOADER=compiled` searches. */
export function sourceDirOf({ SOURCE_DIR, AGENTS_DIR }: AgentsConfig): string {
  return SOURCE_DIR === "" ? AGENTS_DIR : SOURCE_DIR;
}

/** The absolute path of the module that `AGENTS_LOADER=static` imports. Throws `CONFIGURATION` if there is none. */
export function agentsModuleOf({ AGENTS_MODULE }: AgentsConfig): string {
  const path = resolve(AGENTS_MODULE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path;
  const problem = AGENTS_MODULE === "" ? "AGENTS_LOADER=static needs a module" : `There is no file "${AGENTS_MODULE}"`;
  throw new PlatformError("CONFIGURATION", `${problem}. Name it with --agents-module (AGENTS_MODULE).`);
}

/** Throws `CONFIGURATION` if the folder does not exist. `setting` is the operator's name for it. */
export function assertAgentsFolder(folder: string, setting = "--agents (AGENTS_DIR)"): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new PlatformError(
    "CONFIGURATION",
    `There is no folder "${folder}". Name the folder of your agents with ${setting}.`,
  );
}
