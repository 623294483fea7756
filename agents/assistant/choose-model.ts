import { readEnvironment } from "fairlead/models";

export interface ModelChoice {
  readonly model: string;
  readonly isDemo: boolean;
}

const MODELS: readonly { readonly keys: readonly string[]; readonly model: string }[] = [
  { keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"], model: "gemini-3.8-flash" },
  { keys: ["ANTHROPIC_API_KEY"], model: "claude-haiku-5-5" },
  { keys: ["OPENAI_API_KEY"], model: "gpt-6-luna" },
];

/** Returns the first model that has a key, or the demo. `ASSISTANT_MODEL` names another one. */
export function chooseModel(read: (name: string) => string | undefined = readEnvironment): ModelChoice {
  const model =
    read("ASSISTANT_MODEL") ?? MODELS.find(({ keys }) => keys.some((key) => read(key) !== undefined))?.model;
  return model === undefined ? { model: "demo/chat", isDemo: true } : { model, isDemo: false };
}
