import { DirectoryAgentFiles } from "#ports/editor/directory-agent-files.ts";
import { assertAgentsFolder } from "./agents-settings.ts";

/** The folder of agents as the YAML editor reads and writes it; no agent is loaded. */
export function openAgentFiles(folder: string): DirectoryAgentFiles {
  assertAgentsFolder(folder);
  return new DirectoryAgentFiles(folder);
}
