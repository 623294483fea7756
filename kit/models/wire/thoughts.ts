import type { Content, Part } from "#kit/events/content.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** The member of a part's `partMetadata` that says who can read its thought or signature. */
const THOUGHT_OF = "thoughtOf";

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
  const { thoughtSignature: _, ...rest } = part;
  return rest;
}

/** Adds the signature to the first call of a message of the model, if it has none. */
export function withSignedCall(content: Content, signature: string): Content {
  const first = content.parts?.findIndex(({ functionCall }) => functionCall !== undefined) ?? -1;
  if (content.role !== "model" || first === -1 || content.parts?.[first]?.thoughtSignature !== undefined)
    return content;
  const parts =
    content.parts?.map((part, index) => (index === first ? { ...part, thoughtSignature: signature } : part)) ?? [];
  return { ...content, parts };
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

function isOfOneModel({ thought, thoughtSignature }: Part): boolean {
  return thought === true || thoughtSignature !== undefined;
}
