import type { JsonObject } from "#kit/platform/json.ts";

/** Members of a detail that come in pieces. */
const TEXTS = ["text", "summary"] as const;

/**
 * How an answer came about, in OpenRouter's form: texts with signatures, and sealed data. It has to go back as it came,
 * which Gemini models behind it require with calls: https://openrouter.ai/docs/use-cases/reasoning-tokens.
 */
export class ReasoningDetails {
  #all: JsonObject[] = [];

  get all(): readonly JsonObject[] {
    return this.#all;
  }

  add(details: readonly JsonObject[], { isWhole }: { readonly isWhole: boolean }): void {
    if (isWhole && details.length > 0) this.#all = [];
    for (const detail of details) {
      const last = this.#all.at(-1);
      const continues = last !== undefined && last["type"] === detail["type"] && last["index"] === detail["index"];
      if (continues && TEXTS.some((name) => typeof detail[name] === "string" || typeof last[name] === "string"))
        this.#all[this.#all.length - 1] = joined(last, detail);
      else this.#all.push(detail);
    }
  }
}

function joined(last: JsonObject, detail: JsonObject): JsonObject {
  const said = Object.entries(detail).filter(([, value]) => value !== null);
  const texts = TEXTS.flatMap((name) =>
    typeof last[name] === "string" && typeof detail[name] === "string"
      ? [[name, `${last[name]}${detail[name]}`] as const]
      : [],
  );
  return { ...last, ...Object.fromEntries(said), ...Object.fromEntries(texts) };
}
