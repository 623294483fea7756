import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { toSchema } from "#kit/schema/schema.ts";
import type { McpQuestion } from "./mcp-question.ts";

/** The requests of a server for data of the user, by the ids that the server gave them. */
export type Elicitations = Readonly<Record<string, ElicitRequestParams>>;

/** The user's answer, or its problems, for which the user has to be asked again. */
export type ReadElicitations =
  | { readonly kind: "answered"; readonly results: Readonly<Record<string, ElicitResult>> }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/** The question to the user. One request is asked with its own schema, several as one form with a part for each. */
export function toQuestion(server: string, requests: Elicitations): McpQuestion {
  const entries = Object.entries(requests);
  const message = entries.map(([, params]) => `${server} asks: ${messageOf(params)}`).join("\n");
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) {
    const responseSchema = schemaOf(first[1]);
    return { message, responseSchema };
  }
  const properties = Object.fromEntries(entries.map(([id, params]) => [id, schemaOf(params) ?? CONSENT]));
  return { message, responseSchema: { type: "object", properties, required: Object.keys(properties) } };
}

/**
 * The user's answer in the protocol's form: `{"action": "decline"}` or `"cancel"`, or the data, alone or as `content` of
 * an accepted action. Data that is missing gets the defaults of the server's schema.
 */
export async function readElicitations(requests: Elicitations, response: JsonObject): Promise<ReadElicitations> {
  const entries = Object.entries(requests);
  const results: Record<string, ElicitResult> = {};
  const problems: string[] = [];
  const overall = actionOf(response);
  for (const [id, params] of entries) {
    const own = entries.length === 1 || overall === "decline" || overall === "cancel" ? response : response[id];
    const read = await readOne(params, isJsonObject(own) ? own : {});
    if ("problems" in read) problems.push(...read.problems);
    else results[id] = read.result;
  }
  return problems.length > 0 ? { kind: "problems", problems } : { kind: "answered", results };
}

async function readOne(
  params: ElicitRequestParams,
  response: JsonObject,
): Promise<{ readonly result: ElicitResult } | { readonly problems: readonly string[] }> {
  const action = actionOf(response);
  if (action === "decline" || action === "cancel") return { result: { action } };
  const responseSchema = schemaOf(params);
  if (responseSchema === undefined) return { result: { action: "accept" } };
  const given = action === "accept" ? response["content"] : response;
  const content = withDefaults(isJsonObject(given) ? given : {}, responseSchema);
  const checked = await toSchema(responseSchema).check(content);
  if (!checked.ok) return { problems: checked.problems };
  // The schema allows only texts, numbers, flags and lists of texts.
  return { result: { action: "accept", content: content as NonNullable<ElicitResult["content"]> } };
}

/** The action of an answer that names one, and nothing else but its content. */
function actionOf(response: JsonObject): ElicitResult["action"] | undefined {
  const { action, content: _, ...rest } = response;
  if (Object.keys(rest).length > 0) return undefined;
  return action === "accept" || action === "decline" || action === "cancel" ? action : undefined;
}

function withDefaults(content: JsonObject, { properties }: JsonObject): JsonObject {
  const complete: Record<string, JsonValue> = { ...content };
  if (!isJsonObject(properties)) return complete;
  for (const [name, property] of Object.entries(properties)) {
    const value = isJsonObject(property) ? property["default"] : undefined;
    if (!Object.hasOwn(complete, name) && value !== undefined) complete[name] = value;
  }
  return complete;
}

const CONSENT: JsonObject = { type: "object", properties: { action: { type: "string", enum: ["accept", "decline"] } } };

function messageOf(params: ElicitRequestParams): string {
  return params.mode === "url" ? `${params.message} Open ${params.url} and answer when that is done.` : params.message;
}

function schemaOf(params: ElicitRequestParams): JsonObject | undefined {
  // A schema of the protocol is JSON.
  return params.mode === "url" ? undefined : (params.requestedSchema as unknown as JsonObject);
}
