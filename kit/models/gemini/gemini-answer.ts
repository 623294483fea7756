import { throwFailure } from "#kit/models/answers/answer-failure.ts";
import { answerValues } from "#kit/models/answers/answer-values.ts";
import { toFinishReason } from "#kit/models/answers/finish-reasons.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Members whose own members have the names that a tool gave them. */
const OF_TOOLS: ReadonlySet<string> = new Set(["args", "response"]);

/**
 * An answer of any server of the protocol in the form that Google's SDK reads: events of JSON if it is streamed, and
 * one document if not. Members have their names in camel case, and none is null. Reading it throws for what is not an
 * answer.
 */
export function geminiAnswer(response: Response, { isStreamed }: { readonly isStreamed: boolean }): Response {
  const texts = isStreamed ? eventsOf(response) : documentOf(response);
  const { status, statusText, headers } = response;
  return new Response(streamOf(texts), { status, statusText, headers });
}

async function* eventsOf(response: Response): AsyncGenerator<string> {
  for await (const chunk of chunksOf(response)) yield `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Some servers answer with a stream, whatever was asked for. */
async function* documentOf(response: Response): AsyncGenerator<string> {
  const chunks = await Array.fromAsync(chunksOf(response));
  const members = joined(chunks);
  const candidates = chunks.map(candidateOf).filter((candidate) => candidate !== undefined);
  const parts = candidates.flatMap(({ content }) => (isJsonObject(content) ? listOf(content["parts"]) : []));
  const candidate = { ...joined(candidates), content: parts.length > 0 ? { parts } : undefined };
  yield JSON.stringify({ ...members, candidates: candidates.length > 0 ? [candidate] : undefined });
}

/** The last of each member. Not one call with all of them, which are as many as a server likes. */
function joined(objects: readonly JsonObject[]): JsonObject {
  return objects.reduce((all, object) => Object.assign(all, object), {});
}

/** Not `ReadableStream.from`, which the types of browsers do not have. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await texts.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await texts.return(undefined)),
  });
}

async function* chunksOf(response: Response): AsyncGenerator<JsonObject> {
  for await (const value of answerValues(response)) {
    if (!isJsonObject(value)) continue;
    const chunk = chunkOf(value);
    const isAnswer = ["candidates", "promptFeedback", "usageMetadata"].some((name) => chunk[name] !== undefined);
    throwFailure(chunk, { isAnswer });
    yield chunk;
  }
}

function chunkOf(value: JsonObject): JsonObject {
  const plain = plainObject(value);
  // Google's own proxies put the answer into a member.
  const chunk = isJsonObject(plain["response"]) ? plainObject(plain["response"]) : plain;
  const candidate = candidateOf(chunk);
  const reason = candidate?.["finishReason"];
  if (typeof reason !== "string" || /^[A-Z_]+$/.test(reason)) return chunk;
  return { ...chunk, candidates: [{ ...candidate, finishReason: toFinishReason(reason, { hasCalls: false }) }] };
}

function candidateOf({ candidates }: JsonObject): JsonObject | undefined {
  return listOf(candidates).find(isJsonObject);
}

/** Some servers leave the list out where it has one member. */
function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? [value] : [];
}

/** Gateways in other languages write null for members that are absent, and names in their own form. */
function plainObject(value: JsonObject): JsonObject {
  const members = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    if (member === null) return [];
    const plain = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (plain === "parts" || plain === "candidates") return [[plain, listOf(member).map(plainValue)]];
    return [[plain, OF_TOOLS.has(plain) ? member : plainValue(member)]];
  });
  return Object.fromEntries(members);
}

function plainValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plainValue);
  return isJsonObject(value) ? plainObject(value) : value;
}
