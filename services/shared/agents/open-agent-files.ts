import { DirectoryAgentFiles } from "#kit/editor/directory-agent-files.ts";
import { assertAgentsFolder } from "./agents-settings.ts";

/** The folder of agents as the YAML editor sees it; nothing of it is loaded. */
export function openAgentFiles(folder: string): DirectoryAgentFiles {
  assertAgentsFolder(folder);
  return new DirectoryAgentFiles(folder);
}
