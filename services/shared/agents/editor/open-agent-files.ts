import { usesVertexAi } from "#kit/models/gemini/google-genai.ts";
import { MODEL_NAMES } from "#kit/models/registry/model-names.ts";
import { readEnvironment } from "#kit/platform/environment.ts";
import { DirectoryAgentFiles } from "#ports/editor/directory-agent-files.ts";
import { assertAgentsFolder } from "../agents-settings.ts";

const DEMO = "demo/chat";

/** The folder of agents as the YAML editor reads and writes it; no agent is loaded. */
export function openAgentFiles(folder: string, editorModel: string): DirectoryAgentFiles {
  assertAgentsFolder(folder);
  return new DirectoryAgentFiles(folder, { newModel: () => modelForNewAgents(editorModel) });
}

/**
 * The model of agents that the editor adds: the operator's, or one of the first provider whose key is set, or else a
 * script that says it is none.
 */
function modelForNewAgents(editorModel: string): string {
  if (editorModel !== "") return editorModel;
  const has = (...names: readonly string[]): boolean => names.some((name) => readEnvironment(name) !== undefined);
  if (usesVertexAi(readEnvironment) || has("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_API_KEY"))
    return MODEL_NAMES.gemini;
  if (has("ANTHROPIC_API_KEY")) return MODEL_NAMES.claude;
  if (has("OPENAI_API_KEY")) return MODEL_NAMES.openAi;
  return DEMO;
}
