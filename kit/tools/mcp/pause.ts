import type { ElicitResult, InputRequests } from "@modelcontextprotocol/client";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { McpToolError } from "#kit/errors/mcp-errors.ts";
import { canonicalJson, isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { type Elicitations, readElicitations, toQuestion } from "./elicitation.ts";

/** Characters of what is stored with a question: requests, state and earlier answers. */
const MAX_STATE_CHARACTERS = 200_000;
const MAX_REQUESTS = 20;

/** An answer to a request of a server of an earlier protocol, which asks again when the call is repeated. */
export interface EarlierAnswer {
  /** The request as canonical JSON. */
  readonly request: string;
  readonly result: ElicitResult;
}

/** The data that is stored with the question, so that any runner can repeat the call with the answer. */
export interface Pause {
  readonly server: string;
  readonly tool: string;
  /** The address of the resource that the tool was reading. */
  readonly resource?: string;
  /** All requests of the server, by their ids. */
  readonly requests: InputRequests;
  /** Returned to the server unchanged. */
  readonly requestState?: string;
  /** Set for a server of an earlier protocol: the answers of earlier rounds. */
  readonly earlier?: readonly EarlierAnswer[];
}

/** The answers with which a call is repeated. */
export interface ResumedCall {
  readonly pause: Pause;
  readonly results: Readonly<Record<string, ElicitResult>>;
}

/** Asks the user what the server asks; the run ends with the question. Throws `McpToolError` for too large requests. */
export function askUser(context: ToolContext, pause: Pause, problems: readonly string[] = []): void {
  const elicitations = elicitationsOf(pause.requests);
  // The requests are JSON as the server sent it.
  const state = { mcp: pause as unknown as JsonObject };
  if (Object.keys(pause.requests).length > MAX_REQUESTS || JSON.stringify(state).length > MAX_STATE_CHARACTERS)
    throw new McpToolError(pause.server, `${pause.tool} asks for more input than can be stored.`);
  const { message, ...question } = toQuestion(pause.server, elicitations);
  const repeated =
    problems.length === 0 ? message : `${message}\nThe last answer was not accepted: ${problems.join("; ")}`;
  context.requestInput({ ...question, message: repeated, state });
}

/**
 * Reads the answer to a question that this tool asked. Undefined if the call is not resumed, and `"asked"` if the answer
 * did not fit, in which case the user has been asked again. Throws `McpToolError` if another server or tool asked.
 */
export async function readPause(
  context: ToolContext,
  { server, tool }: Pick<Pause, "server" | "tool">,
): Promise<ResumedCall | "asked" | undefined> {
  const { toolInput } = context;
  if (toolInput === undefined) return undefined;
  const pause = pauseOf(toolInput.request.state);
  if (pause?.server !== server || pause.tool !== tool)
    throw new McpToolError(server, `the answered question was not asked by ${tool} of this server.`);
  const read = await readElicitations(elicitationsOf(pause.requests), toolInput.response);
  if (read.kind === "answered") return { pause, results: read.results };
  askUser(context, pause, read.problems);
  return "asked";
}

export function elicitationsOf(requests: InputRequests): Elicitations {
  const entries = Object.entries(requests).flatMap(([id, { method, params }]) =>
    method === "elicitation/create" ? [[id, params] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The stored answer to a request that a server of an earlier protocol repeats. */
export function earlierAnswer(answers: readonly EarlierAnswer[], params: object): ElicitResult | undefined {
  const request = requestText(params);
  return answers.find((answer) => answer.request === request)?.result;
}

/** A request of an earlier protocol for comparison: without ids, which differ in each call. */
export function requestText(params: object): string {
  const { _meta, elicitationId, task, ...rest } = params as Readonly<Record<string, never>>;
  return canonicalJson(rest);
}

function pauseOf(state: unknown): Pause | undefined {
  const stored = isJsonObject(state as never) ? (state as JsonObject)["mcp"] : undefined;
  // Written by `askUser`: answers of clients do not change the state of a request.
  return isJsonObject(stored) ? (stored as unknown as Pause) : undefined;
}
