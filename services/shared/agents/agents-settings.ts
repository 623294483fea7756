import { statSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "../config/type.ts";

/** Where agents come from, for processes that load them. */
export const agentsConfigSchema = Type.Object({
  AGENTS_DIR: Type.String({ default: "agents", description: "Folder with one folder or file for each app." }),
  HOT_RELOAD: Type.Boolean({ default: true, description: "Load YAML agents anew when their files change." }),
});

/** Throws `CONFIGURATION` when there is no such folder. */
export function assertAgentsFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new PlatformError(
    "CONFIGURATION",
    `There is no folder "${folder}". Name the folder of your agents with --agents (AGENTS_DIR).`,
  );
}
