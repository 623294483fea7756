import { statSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";

/** Settings of processes that load agents. */
export const agentsConfigSchema = Type.Object({
  AGENTS_DIR: Type.String({ default: "agents", description: "Folder with one folder or file for each app." }),
  HOT_RELOAD: Type.Boolean({ default: true, description: "Reload YAML agents when their files change." }),
});

/** Throws `CONFIGURATION` if the folder does not exist. */
export function assertAgentsFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new PlatformError(
    "CONFIGURATION",
    `There is no folder "${folder}". Name the folder of your agents with --agents (AGENTS_DIR).`,
  );
}
