import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import type { Content, FunctionCall } from "#kit/events/content.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess, type OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import type { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createAgentWorld } from "../worlds/agent-world.ts";
import type { AuthorizationServer } from "./authorization-server.ts";

/** A model response that calls the tool `read_files`. */
export const READS = functionCallResponse("read_files", {}, "call-1");

/** The config of a tool whose users sign in at the server, and the secret of its client. */
export function oauthConfig({ url }: AuthorizationServer): AuthConfig {
  const flow = { authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token`, scopes: { read: "Read files." } };
  return {
    authScheme: { type: "oauth2", flows: { authorizationCode: flow } },
    rawAuthCredential: { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "very-secret" } },
  };
}

/** The way to one server on loopback. */
export function outboundTo(...servers: readonly { readonly host: string }[]): OutboundAccess {
  return createOutboundAccess({ allowedHosts: servers.map(({ host }) => host) });
}

/** An agent whose tool reads the files of its user with a token, as tools of ADK do. */
export async function createCredentialWorld(
  config: AuthConfig,
  {
    outbound,
    steps = [READS, "Done."],
    store,
    credentials = new InMemoryCredentialService(),
  }: {
    readonly outbound: OutboundAccess;
    readonly steps?: readonly ScriptedStep[];
    /** Of an earlier world, whose session is continued. */
    readonly store?: InMemorySessionStore;
    readonly credentials?: InMemoryCredentialService;
  },
) {
  const used: unknown[] = [];
  const tool = new FunctionTool({
    name: "read_files",
    description: "Reads the user's files.",
    execute: async (_args, context) => {
      const credential = await context.getAuthResponse(config);
      if (credential === undefined) {
        await context.requestCredential(config);
        return { status: "pending" };
      }
      used.push(credential);
      return { status: "read" };
    },
  });
  const model = new ScriptedModel(steps);
  const agent = new LlmAgent({ name: "clerk", model, tools: [tool] });
  const world = await createAgentWorld(agent, {
    outbound,
    credentialService: credentials,
    ...(store !== undefined && { store }),
  });
  return { world, model, used, credentials };
}

/** The last request for a credential among the events. */
export function credentialQuestion(events: readonly Event[]): FunctionCall {
  const call = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_credential");
  if (call === undefined) throw new Error("no credential was requested");
  return call;
}

/** The address of the sign-in that a question has. */
export function authUriOf({ args }: FunctionCall): string {
  const { authUri } = oauthOf(args?.["authConfig"] as JsonObject);
  if (typeof authUri !== "string") throw new Error("the question has no address");
  return authUri;
}

/** What ADK's developer UI answers: the whole config, with the address that the browser was led to. */
export function uiAnswer(question: FunctionCall, authResponseUri: string): Content {
  const authConfig = structuredClone(question.args?.["authConfig"]) as JsonObject;
  const oauth2 = { ...oauthOf(authConfig), authResponseUri, redirectUri: "http://localhost/dev-ui/" };
  const exchanged = { ...(authConfig["exchangedAuthCredential"] as JsonObject), oauth2 };
  return credentialAnswer(question, { ...authConfig, exchangedAuthCredential: exchanged });
}

export function credentialAnswer({ id = "" }: FunctionCall, response: JsonObject): Content {
  return { role: "user", parts: [{ functionResponse: { id, name: "adk_request_credential", response } }] };
}

/** The member `oauth2` of a config's exchanged credential; empty if there is none. */
export function oauthOf(authConfig: JsonObject): JsonObject {
  const exchanged = authConfig["exchangedAuthCredential"];
  const oauth2 = isJsonObject(exchanged) ? exchanged["oauth2"] : undefined;
  return isJsonObject(oauth2) ? oauth2 : {};
}
