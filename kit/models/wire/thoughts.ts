import type { Content, Part } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** The member of a part's `partMetadata` that says who can read its thought, signature or what else it is to get back. */
const THOUGHT_OF = "thoughtOf";
/** Members of a part's `partMetadata` with what a provider wants back. */
const WANTED = ["aiSdk", "openAi"] as const;

/** The answer with a mark on its thoughts and signatures: sessions outlive the model that an agent has today. */
export function withMarkedThoughts(response: LlmResponse, thoughtsOf: string): LlmResponse {
  const { content } = response;
  if (content?.parts?.some(isOfOneModel) !== true) return response;
  const parts = content.parts.map((part) =>
    isOfOneModel(part) ? { ...part, partMetadata: { ...part.partMetadata, [THOUGHT_OF]: thoughtsOf } } : part,
  );
  return { ...response, content: { ...content, parts } };
}

/**
 * The part for a model: thoughts of others are left out, and so are signatures of others on what they said or called.
 * What was stored without a mark counts as another's.
 */
export function withOwnThoughts(part: Part, thoughtsOf: string): Part | undefined {
  if (!isOfOneModel(part) || part.partMetadata?.[THOUGHT_OF] === thoughtsOf) return part;
  if (part.thought === true) return undefined;
  const { thoughtSignature: _, partMetadata = {}, ...rest } = part;
  const kept = Object.entries(partMetadata).filter(([name]) => !WANTED.some((wanted) => wanted === name));
  return kept.length === 0 ? rest : { ...rest, partMetadata: Object.fromEntries(kept) };
}

/** Adds the signature to the first call and the images of a message of the model, where they have none. */
export function withSignatures(content: Content, signature: string): Content {
  const { role, parts = [] } = content;
  const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const lacks = (part: Part, index: number): boolean =>
    (index === first || part.inlineData !== undefined) && part.thoughtSignature === undefined;
  if (role !== "model" || !parts.some(lacks)) return content;
  return {
    ...content,
    parts: parts.map((part, index) => (lacks(part, index) ? { ...part, thoughtSignature: signature } : part)),
  };
}

/** Whether the newest messages are a round of tools whose first answer begins without a thought. */
export function callsWithoutThoughts(contents: readonly Content[]): boolean {
  if (contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse !== undefined) !== true) return false;
  const begin = contents.findLastIndex(
    ({ role, parts = [] }) => role !== "model" && !parts.some(({ functionResponse }) => functionResponse !== undefined),
  );
  const first = contents.slice(begin + 1).find(({ role }) => role === "model");
  return first?.parts?.[0]?.thought !== true || first.parts[0].thoughtSignature === undefined;
}

function isOfOneModel({ thought, thoughtSignature, partMetadata }: Part): boolean {
  return (
    thought === true || thoughtSignature !== undefined || WANTED.some((name) => partMetadata?.[name] !== undefined)
  );
}
