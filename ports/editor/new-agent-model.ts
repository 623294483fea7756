import { OUTPUT } from "./serve-definition.ts";

/** The model that the developer UI writes for each agent that its user adds, whatever models the server can call. */
export const UI_MODEL = "gemini-2.5-flash";

/** The definition of a new agent with the server's model in place of the UI's. A text with another model is unchanged. */
export async function withServerModel(text: string, model: string): Promise<string> {
  if (model === UI_MODEL || !text.includes(UI_MODEL)) return text;
  const yaml = await import("yaml");
  const document = yaml.parseDocument(text, { schema: "core", version: "1.2", logLevel: "error" });
  // A file that cannot be read is refused where it is parsed with the loader's rules.
  if (document.errors.length > 0 || !yaml.isMap(document.contents)) return text;
  const scalar: unknown = document.contents.get("model", true);
  if (!yaml.isScalar(scalar) || scalar.value !== UI_MODEL) return text;
  scalar.value = model;
  return document.toString(OUTPUT);
}
