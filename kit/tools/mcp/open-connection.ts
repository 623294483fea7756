import type {
  JSONRPCMessage,
  ListChangedHandlers,
  OAuthClientProvider,
  PriorDiscovery,
  Transport,
} from "@modelcontextprotocol/client";
import type { CallSecrets } from "#kit/errors/call-secrets.ts";
import { McpSessionInitializationError } from "#kit/errors/mcp-errors.ts";
import { redactText } from "#kit/errors/redact.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { Version } from "#kit/version.ts";
import { type McpConnectionParams, type McpHeaders, serverName, timeLimits } from "./connection-params.ts";
import { McpConnection } from "./mcp-connection.ts";
import { statusOf } from "./transport/connection-state.ts";
import { LastOutput } from "./transport/last-output.ts";
import { withoutBrokenEntries } from "./transport/leave-out-entries.ts";
import { loadMcpSdk, type McpSdk } from "./transport/mcp-sdk.ts";
import { plainFetch } from "./transport/plain-fetch.ts";
import { problemOf } from "./transport/problem-of.ts";
import { reportLostAnswers } from "./transport/report-lost-answers.ts";
import { boundedServerFetch, type Fetch, notingCredentials, withoutDescriptions } from "./transport/server-fetch.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";
import { usualForm } from "./transport/usual-form.ts";

/** Pages of one list that are read; a server with more has a list that does not end. */
const MAX_LIST_PAGES = 64;

export interface OpenOptions {
  readonly params: McpConnectionParams;
  /** All headers of requests, those of the parameters among them. */
  readonly headers: McpHeaders;
  /** Secrets, which are redacted in all texts of the server. */
  readonly secrets: CallSecrets;
  readonly fetch: Fetch;
  readonly allowSampling: boolean;
  readonly authProvider?: object | undefined;
  /** The protocol that an earlier connection has detected: no probe is sent then. */
  readonly prior?: PriorDiscovery | undefined;
  readonly listChanged?: ListChangedHandlers;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * Connects to a server: by the protocol of 2026-07-28 if it answers the probe, by the handshake of earlier ones otherwise.
 * Throws `McpSessionInitializationError`.
 */
export async function openConnection(options: OpenOptions): Promise<McpConnection> {
  const { params } = options;
  // Only the earlier protocols have the transport with server-sent events.
  const prior: PriorDiscovery | undefined = params.kind === "sse" ? { kind: "legacy" } : options.prior;
  const sdk = await loadMcpSdk();
  for (let known = prior; ; known = { kind: "legacy" }) {
    const output = new LastOutput();
    try {
      return await connect(sdk, options, { prior: known, output });
    } catch (error) {
      // Some earlier servers end their process at a message that they do not know.
      if (params.kind === "stdio" && known === undefined && !options.signal.aborted) continue;
      const failed = failure(options, error);
      logOutput(options, output, failed);
      throw failed;
    }
  }
}

/** What a program writes before its protocol begins is for its operator: users do not see it. */
function logOutput({ params, secrets, logger, signal }: OpenOptions, { text }: LastOutput, error: Error): void {
  if (text === "" || signal.aborted) return;
  logger.warn(
    { server: serverName(params), error, output: redactText(secrets.redact(text)) },
    "MCP server not started",
  );
}

interface Attempt {
  readonly prior: PriorDiscovery | undefined;
  readonly output: LastOutput;
}

async function connect(sdk: McpSdk, options: OpenOptions, { prior, output }: Attempt): Promise<McpConnection> {
  const { params, secrets, allowSampling, listChanged, signal } = options;
  const { connectMs } = timeLimits(params);
  const client = new sdk.Client(
    { name: "fairlead", version: Version.FAIRLEAD_VERSION },
    {
      capabilities: { elicitation: { form: {}, url: {} }, roots: {}, sampling: allowSampling ? {} : undefined },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: connectMs } },
      // The caller stores what the server asks for, and repeats the call when the user has answered.
      inputRequired: { autoFulfill: false },
      listMaxPages: MAX_LIST_PAGES,
      // The kit checks results itself: its checker accepts no patterns that take exponential time.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      listChanged,
    },
  );
  const transport = createTransport(sdk, options, output);
  const hasSession = transport instanceof sdk.StreamableHTTPClientTransport && endsSession(params);
  const connection = new McpConnection(client, {
    ...{ requestMs: timeLimits(params).requestMs, allowSampling },
    ...{ endsWithStream: params.kind === "sse", isProcess: params.kind === "stdio" },
    endSession: hasSession ? () => transport.terminateSession() : undefined,
  });
  if (params.kind === "streamable-http") reportLostAnswers(transport);
  changeMessages(transport, (message) => {
    // The state of a question is returned to the server unchanged.
    for (const part of partsOf(message)) secrets.redactJson(part, "requestState");
    return withoutBrokenEntries(sdk, usualForm(sdk, message), (entry) => connection.leaveOut(entry));
  });
  try {
    await client.connect(transport, {
      timeout: connectMs,
      signal,
      prior,
    });
  } catch (error) {
    await connection.close();
    throw transport instanceof StdioTransport ? (transport.endedEarly ?? error) : error;
  }
  return connection;
}

/** The contents of a server's message, without the members that relate it to another message. */
function partsOf(message: JSONRPCMessage): readonly object[] {
  const { params, result, error } = message as { readonly [part in "params" | "result" | "error"]?: object };
  return [params, result, error].filter((part) => part !== undefined);
}

function endsSession(params: McpConnectionParams): boolean {
  return params.kind === "streamable-http" && params.terminateOnClose !== false;
}

type TransportOptions = Pick<OpenOptions, "params" | "headers" | "secrets" | "fetch" | "authProvider">;

function createTransport(
  sdk: McpSdk,
  { params, headers, secrets, fetch, authProvider }: TransportOptions,
  output?: LastOutput,
): Transport {
  if (params.kind === "stdio") {
    const { command, args = [], env, cwd } = params;
    return new StdioTransport({ command, args, env: { ...sdk.getDefaultEnvironment(), ...env }, cwd }, output);
  }
  const shared = {
    ...{
      fetch: notingCredentials(
        plainFetch(boundedServerFetch(authProvider === undefined ? fetch : withoutDescriptions(fetch))),
        secrets,
      ),
      requestInit: { headers: { ...headers } },
    },
    // The option's documentation names the SDK's interface; the kit's types do not depend on the SDK.
    authProvider: authProvider as OAuthClientProvider | undefined,
  };
  if (params.kind === "sse") return new sdk.SSEClientTransport(new URL(params.url), shared);
  return new sdk.StreamableHTTPClientTransport(new URL(params.url), shared);
}

/** Completes a sign-in with the parameters of its callback. Throws `McpSessionInitializationError`. */
export async function finishSignIn(options: TransportOptions, callback: URLSearchParams): Promise<void> {
  const sdk = await loadMcpSdk();
  const transport = createTransport(sdk, options);
  try {
    if (!("finishAuth" in transport)) throw new Error("servers on standard streams have no sign-in.");
    // Both transports on HTTP have the method.
    await (transport as InstanceType<McpSdk["StreamableHTTPClientTransport"]>).finishAuth(callback);
  } catch (error) {
    throw failure(options, error);
  }
}

/** Whether the server requires credentials that only a sign-in of the user provides. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && (error.name === "UnauthorizedError" || error.name === "InsufficientScopeError");
}

/** Whether the server has refused the credential, or the lack of one; the call had no effect then. */
export function isRefused(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if (isUnauthorized(cause) || statusOf(cause) === 401) return true;
  return false;
}

export const SIGN_IN_FIRST = "the user has to sign in there first.";

function failure(
  { params, secrets }: Pick<OpenOptions, "params" | "secrets">,
  thrown: unknown,
): McpSessionInitializationError {
  const error = secrets.redactError(thrown);
  if (isUnauthorized(error)) return new McpSessionInitializationError(serverName(params), SIGN_IN_FIRST, error);
  return new McpSessionInitializationError(
    serverName(params),
    `no connection could be opened: ${problemOf(error, "timeoutMs")}`,
    error,
  );
}

type Change = <Message extends JSONRPCMessage>(message: Message) => Message;

/** Passes each message that a transport receives through `change`. Call it once, before the transport is connected. */
export function changeMessages(transport: Transport, change: Change): void {
  let receive = transport.onmessage;
  const changed: NonNullable<Transport["onmessage"]> = (message, extra) => receive?.(change(message), extra);
  Object.defineProperty(transport, "onmessage", {
    get: () => (receive === undefined ? undefined : changed),
    set: (given: Transport["onmessage"]) => {
      receive = given;
    },
  });
}
