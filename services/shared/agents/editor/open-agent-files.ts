import { DirectoryAgentFiles } from "#ports/editor/directory-agent-files.ts";
import { assertAgentsFolder } from "../agents-settings.ts";
import { modelForNewAgents } from "./model-for-new-agents.ts";

/** The folder of agents as the YAML editor reads and writes it; no agent is loaded. */
export function openAgentFiles(folder: string, editorModel: string): DirectoryAgentFiles {
  assertAgentsFolder(folder);
  return new DirectoryAgentFiles(folder, { newModel: () => modelForNewAgents(editorModel) });
}
