import { usesVertexAi } from "#kit/models/gemini/google-genai.ts";
import { MODEL_NAMES } from "#kit/models/registry/model-names.ts";
import { readEnvironment } from "#kit/platform/environment.ts";

const DEMO = "demo/chat";

/**
 * The model of agents that the editor adds: the operator's, or one of the first provider whose key is set, or else a
 * script that says it is none.
 */
export function modelForNewAgents(editorModel: string, read: (name: string) => string | undefined = readEnvironment) {
  if (editorModel !== "") return editorModel;
  const has = (...names: readonly string[]): boolean => names.some((name) => read(name) !== undefined);
  if (usesVertexAi(read) || has("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_API_KEY")) return MODEL_NAMES.gemini;
  if (has("ANTHROPIC_API_KEY")) return MODEL_NAMES.claude;
  if (has("OPENAI_API_KEY")) return MODEL_NAMES.openAi;
  return DEMO;
}
