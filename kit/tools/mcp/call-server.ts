import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  InputRequests,
  InputResponses,
} from "@modelcontextprotocol/client";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { McpToolError } from "#kit/errors/mcp-errors.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { type Elicitations, readElicitations, toQuestion } from "./elicitation.ts";
import type { CallInProgress, McpConnection } from "./mcp-connection.ts";
import type { McpQuestion } from "./mcp-question.ts";
import type { McpServer, RequestScope } from "./mcp-server.ts";
import {
  askUser,
  type EarlierAnswer,
  earlierAnswer,
  elicitationsOf,
  type Pause,
  type ResumedCall,
  requestText,
} from "./pause.ts";

/** One call of a tool of the kit, which calls a tool of the server or reads a resource. */
export interface ServerCall<Result extends object> {
  readonly server: McpServer;
  /** The tool's name in errors and in the stored question. */
  readonly tool: string;
  /** The resource that is read, for a tool that reads several. */
  readonly resource?: string;
  readonly context: ToolContext;
  readonly scope: RequestScope;
  /** The answers with which the call is repeated. */
  readonly resumed: ResumedCall | undefined;
  /** Runs the agent's model for the server; absent: the server may not sample. */
  readonly sample: ((params: CreateMessageRequestParams) => Promise<CreateMessageResult>) | undefined;
  /** Answers the server in place of the user; undefined asks the user. */
  readonly answer: ((question: McpQuestion) => Promise<JsonObject | undefined>) | undefined;
  /** Sends the request once, with what answers the server's questions. */
  readonly send: (connection: McpConnection, input: JsonObject, signal: AbortSignal) => Promise<Result | InputRequired>;
}

type AnyCall = Omit<ServerCall<object>, "send">;

/** The server's result for a request that lacks data of the user. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: InputRequests;
  readonly requestState?: string;
}

/** How often a server may answer with requests that need no user. */
const MAX_ROUNDS = 10;

/** Makes the call. Undefined if the server asks the user for data: the question has been asked then. */
export async function callServer<Result extends object>(call: ServerCall<Result>): Promise<Result | undefined> {
  const asked: ElicitRequestParams[] = [];
  const earlier = earlierAnswers(call.resumed);
  const abandoned = new AbortController();
  const inProgress: CallInProgress = {
    elicit: async (params) => {
      const known = earlierAnswer(earlier, params) ?? (await answerWithoutUser(call, { input: params }))?.["input"];
      if (known !== undefined) return known;
      asked.push(params);
      // Cancels the call without an answer to the server: with an answer the server could continue without the user.
      abandoned.abort();
      return new Promise(() => undefined);
    },
    sample: (params) => samplerOf(call)(params),
  };
  let result: Result | undefined;
  try {
    result = await call.server.request(call.scope, async (connection) => {
      try {
        return await connection.during(inProgress, () => rounds(call, connection, abandoned.signal));
      } finally {
        if (abandoned.signal.aborted) await connection.close();
      }
    });
  } catch (error) {
    asked.push(...addressesIn(error));
    if (asked.length === 0 || call.scope.signal.aborted) throw call.server.failure(error);
  }
  const [params] = asked;
  if (params === undefined) return result;
  askUser(call.context, { ...pauseBase(call), requests: { input: { method: "elicitation/create", params } }, earlier });
  return undefined;
}

/** The addresses that the user has to open before the call: servers of an earlier protocol ask for them by an error. */
function addressesIn(error: unknown): readonly ElicitRequestParams[] {
  if (!(error instanceof Error) || !("elicitations" in error) || !Array.isArray(error.elicitations)) return [];
  // The SDK has checked the error's data.
  return error.elicitations as readonly ElicitRequestParams[];
}

/** Repeats the call as long as the server only asks for input that needs no user. */
async function rounds<Result extends object>(
  call: ServerCall<Result>,
  connection: McpConnection,
  abandoned: AbortSignal,
): Promise<Result | undefined> {
  const signal = AbortSignal.any([call.scope.signal, abandoned]);
  const { resumed, server, tool } = call;
  let input: JsonObject = {};
  if (resumed !== undefined && resumed.pause.earlier === undefined)
    input = await inputOf(call, resumed.pause, resumed.results);
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const answer = await call.send(connection, input, signal);
    if (!isInputRequired(answer)) return answer;
    const { inputRequests: requests = {}, requestState } = answer;
    const pause = { ...pauseBase(call), requests, requestState };
    const results = await answerWithoutUser(call, elicitationsOf(requests));
    if (results === undefined) {
      askUser(call.context, pause);
      return undefined;
    }
    input = await inputOf(call, pause, results);
  }
  throw new McpToolError(server.name, `${tool} asked for input more than ${MAX_ROUNDS} times in a row.`);
}

/** The answers that the program gives; undefined if the user has to. */
async function answerWithoutUser(
  { server, answer }: AnyCall,
  elicitations: Elicitations,
): Promise<Readonly<Record<string, ElicitResult>> | undefined> {
  if (Object.keys(elicitations).length === 0) return {};
  const response = await answer?.(toQuestion(server.name, elicitations));
  if (response === undefined) return undefined;
  const read = await readElicitations(elicitations, response);
  if (read.kind === "answered") return read.results;
  throw new McpToolError(server.name, `the answer of elicitationCallback does not fit: ${read.problems.join("; ")}`);
}

/** Whether the server answers with questions instead of a result. */
export function isInputRequired(answer: object): answer is InputRequired {
  return "resultType" in answer && answer.resultType === "input_required";
}

/** The parameters with which a call is repeated: an answer to each request, and the state as the server gave it. */
async function inputOf(
  call: AnyCall,
  { requests, requestState }: Pause,
  results: Readonly<Record<string, ElicitResult>>,
): Promise<JsonObject> {
  const inputResponses: InputResponses = { ...results };
  for (const [id, request] of Object.entries(requests)) {
    if (request.method === "roots/list") inputResponses[id] = { roots: [] };
    if (request.method === "sampling/createMessage") inputResponses[id] = await samplerOf(call)(request.params);
  }
  // The answers are JSON.
  return present({
    inputResponses: Object.keys(requests).length > 0 ? (inputResponses as unknown as JsonObject) : undefined,
    requestState,
  });
}

function samplerOf({ sample, server, tool }: AnyCall): NonNullable<AnyCall["sample"]> {
  if (sample !== undefined) return sample;
  throw new McpToolError(server.name, `${tool} asks for the agent's model, and the toolset does not allow it.`);
}

function earlierAnswers(resumed: ResumedCall | undefined): readonly EarlierAnswer[] {
  if (resumed?.pause.earlier === undefined) return [];
  const answered = Object.entries(elicitationsOf(resumed.pause.requests)).flatMap(([id, params]) => {
    const result = resumed.results[id];
    return result === undefined ? [] : [{ request: requestText(params), result }];
  });
  return [...resumed.pause.earlier, ...answered];
}

function pauseBase({ server, tool, resource }: AnyCall): Pick<Pause, "server" | "tool" | "resource"> {
  return { server: server.name, tool, resource };
}
