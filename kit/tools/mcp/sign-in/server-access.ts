import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { credentialScopeOf } from "#kit/core/context/credential-scope.ts";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { CredentialAnswer, CredentialScope } from "#kit/credentials/credential-scope.ts";
import { functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { checkAnswer } from "#kit/llm-agent/questions/check-answer.ts";
import type { McpHeaders } from "../connection-params.ts";
import type { McpServer } from "../mcp-server.ts";

/** Gives a run access to the server on behalf of its user. */
export interface ServerAccess {
  /** The server as the context's user sees it; undefined if the user has to be asked for a credential. */
  serverFor(context: ReadonlyContext): Promise<McpServer | undefined>;
  /** Whether there is another credential in place of one that the server has refused. */
  replaceRefused(context: ReadonlyContext): Promise<boolean>;
  /** Records that the server lists nothing to this user before the sign-in. */
  listRefused(context: ReadonlyContext): void;
  canAsk(context: ToolContext): boolean;
  /** Asks the user for the credential; the run ends with the question. */
  ask(context: ToolContext): Promise<void>;
}

/** The identity for which a server is contacted, and its credentials. */
export interface Identity {
  readonly headers?: McpHeaders;
  /** Set if no other user's connections may serve this one's. */
  readonly owner?: readonly string[];
  readonly authProvider?: (() => object) | undefined;
}

/** The toolset's servers by identity. */
export type ServerTable = (context: ReadonlyContext, identity: Identity) => Promise<McpServer>;

/** Access that never asks the user: it uses the toolset's headers, and credentials that the program manages. */
export function openAccess(
  serverOf: ServerTable,
  authProvider: ((context: ReadonlyContext) => object) | undefined,
): ServerAccess {
  return {
    serverFor: (context) =>
      serverOf(
        context,
        authProvider === undefined ? {} : { owner: ownerOf(context), authProvider: () => authProvider(context) },
      ),
    replaceRefused: async () => false,
    listRefused: () => undefined,
    canAsk: () => false,
    ask: async () => undefined,
  };
}

export function ownerOf({ invocationContext }: ReadonlyContext): readonly string[] {
  const { appName, userId, tenantId = "" } = invocationContext.session;
  return [tenantId, appName, userId];
}

/**
 * The credential scope of a context. Lists are read before the call that asked the user runs again, so the user's
 * answer is used for the list too. An answer for another credential has no effect.
 */
export function scopeOf(context: ReadonlyContext): CredentialScope {
  if (isCall(context)) return context.credentialScope;
  const { invocationContext } = context;
  return credentialScopeOf(invocationContext, {
    signal: invocationContext.signal,
    answer: answerFor(invocationContext),
  });
}

/** Whether the context is that of a call; toolsets are listed with the context of a tool that nothing has called. */
export function isCall(context: ReadonlyContext): context is CallbackContext {
  return context instanceof CallbackContext && context.functionCallId !== undefined;
}

/** Whether the newest message answers a request of the agent for a credential. */
export function hasAnswer({ invocationContext }: ReadonlyContext): boolean {
  return answerFor(invocationContext) !== undefined;
}

/** The first valid answer of the newest message to a request of the agent for a credential. */
function answerFor({ session, agent }: ReadonlyContext["invocationContext"]): CredentialAnswer | undefined {
  const { events } = session;
  const at = events.findLastIndex(({ author, content }) => author === USER_AUTHOR && content !== undefined);
  const message = events[at];
  if (message === undefined) return undefined;
  const history = { events: events.slice(0, at), agentName: agent.name, hasAgent: () => false };
  for (const response of functionResponses(message)) {
    const checked = checkAnswer(history, response);
    if (checked.kind === "decided" && checked.answer.kind === "credential") return checked.answer.credential;
  }
  return undefined;
}
