import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";

const PERSONAS: Readonly<Record<string, string>> = {
  EXPERT:
    "You know the field well. You write short and precise messages, use its terms, give what is needed without being asked, and correct the agent at once when it is wrong.",
  NOVICE:
    "You are new to the field. You write in everyday words, give one piece of information at a time and only when you are asked, and ask back when the agent uses a term that you may not know.",
  EVALUATOR:
    "You test the agent. You keep strictly to the plan, ask for everything in it in the plan's order, are neutral in tone, and point out each mistake of the agent once.",
};

/** The description of how a user writes. A persona is one of the known names, or an object in the author's words. */
export function personaText(persona: JsonValue | undefined): string | undefined {
  if (persona === undefined || persona === null) return undefined;
  const name = isJsonObject(persona) ? persona["id"] : persona;
  const known = typeof name === "string" ? PERSONAS[name.toUpperCase()] : undefined;
  return known ?? (typeof persona === "string" ? persona : JSON.stringify(persona, null, 2));
}
