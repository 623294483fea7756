import { AgentCard, type AgentInterface, type AgentSkill, type SecurityScheme } from "@a2a-js/sdk";
import { LegacyRestTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { ADK_EXTENSION_URI } from "#kit/a2a/conversion/metadata-keys.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { Version } from "#kit/version.ts";
import type { AgentInfo, AppInfo } from "#ports/runs/runner-service.ts";
import type { GatewayConfig } from "../config.ts";
import { type A2aVersion, CURSOR_EXTENSION, MEDIA_TYPES } from "../tasks/protocol.ts";

type CardConfig = Pick<GatewayConfig, "AUTH" | "OIDC_ISSUER" | "A2A_PUSH" | "A2A_GRPC_PORT" | "A2A_GRPC_ADDRESS">;

export interface CardFacts {
  readonly info: AppInfo;
  /** The address of the server's routes, without a slash at its end. */
  readonly baseUrl: string;
  readonly config: CardConfig;
  /** Whether callers are identified. */
  readonly isProtected: boolean;
  /** Members that replace those derived from the app. */
  readonly own: JsonObject;
}

/** The card of an app: for anybody, or with its sub-agents and tools for callers who are signed in. */
export function agentCard(facts: CardFacts, form: "public" | "extended"): AgentCard {
  const { info, isProtected, config, own } = facts;
  const { name, rootAgent } = info;
  const description = info.description || rootAgent.description || name;
  const schemes = isProtected ? securitySchemes(config) : {};
  const skill = skillOf({ id: name, name, description, tags: ["agent"] });
  const card: AgentCard = {
    name,
    description,
    supportedInterfaces: interfacesOf(facts),
    provider: undefined,
    version: Version.FAIRLEAD_VERSION,
    capabilities: {
      streaming: true,
      pushNotifications: config.A2A_PUSH !== "off",
      extendedAgentCard: isProtected,
      extensions: [
        {
          uri: CURSOR_EXTENSION,
          description: "Positions of updates, to resume a stream.",
          required: false,
          params: {},
        },
        { uri: ADK_EXTENSION_URI, description: "Calls that wait for an answer.", required: false, params: {} },
      ],
    },
    securitySchemes: schemes,
    securityRequirements: Object.keys(schemes).map((scheme) => ({ schemes: { [scheme]: { list: [] } } })),
    defaultInputModes: [...MEDIA_TYPES],
    defaultOutputModes: [...MEDIA_TYPES],
    skills: form === "extended" ? [skill, ...detailsOf(rootAgent, [])] : [skill],
    signatures: [],
  };
  if (Object.keys(own).length === 0) return card;
  const json = AgentCard.toJSON(card);
  return AgentCard.fromJSON({ ...(isJsonObject(json) ? json : {}), ...own });
}

/** The card as clients of the version read it. The schema of 1.0 takes no members of 0.3. */
export async function cardJson(card: AgentCard, version: A2aVersion): Promise<JsonObject> {
  // The SDK writes cards as plain objects.
  if (version === "1.0") return AgentCard.toJSON(card) as JsonObject;
  // The SDK exports its translation as a part of this handler alone. No other operation of it is called here.
  const handler = { getAuthenticatedExtendedAgentCard: async () => card } as unknown as A2ARequestHandler;
  const legacy = await new LegacyRestTransportHandler(handler).getAuthenticatedExtendedAgentCard(
    new ServerCallContext(),
  );
  return { ...legacy } as unknown as JsonObject;
}

function interfacesOf({ info, baseUrl, config }: CardFacts): AgentInterface[] {
  const url = `${baseUrl}/a2a/${encodeURIComponent(info.name)}`;
  const { A2A_GRPC_PORT, A2A_GRPC_ADDRESS } = config;
  const hasGrpc = A2A_GRPC_PORT > 0 || A2A_GRPC_ADDRESS !== "";
  const grpcUrl = A2A_GRPC_ADDRESS || `${new URL(baseUrl).hostname}:${A2A_GRPC_PORT}`;
  return [
    { url, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" },
    { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0", tenant: "" },
    // One port for all apps: the tenant of a request is the app.
    ...(hasGrpc ? [{ url: grpcUrl, protocolBinding: "GRPC", protocolVersion: "1.0", tenant: info.name }] : []),
    { url, protocolBinding: "JSONRPC", protocolVersion: "0.3", tenant: "" },
    { url, protocolBinding: "HTTP+JSON", protocolVersion: "0.3", tenant: "" },
  ];
}

function securitySchemes({ AUTH, OIDC_ISSUER }: CardConfig): Record<string, SecurityScheme> {
  const schemes: Record<string, SecurityScheme> = {};
  if (AUTH.includes("api-key")) {
    const value = { description: "An API key of this server.", location: "header", name: "X-API-Key" };
    schemes["apiKey"] = { scheme: { $case: "apiKeySecurityScheme", value } };
  }
  if (AUTH.includes("oidc") && OIDC_ISSUER !== "") {
    const openIdConnectUrl = `${OIDC_ISSUER.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const value = { description: "A token of the identity provider.", openIdConnectUrl };
    schemes["oidc"] = { scheme: { $case: "openIdConnectSecurityScheme", value } };
  }
  const value = { description: "An access token or an API key.", scheme: "bearer", bearerFormat: "" };
  schemes["bearer"] = { scheme: { $case: "httpAuthSecurityScheme", value } };
  return schemes;
}

function skillOf(given: Pick<AgentSkill, "id" | "name" | "description" | "tags">): AgentSkill {
  return { ...given, examples: [], inputModes: [], outputModes: [], securityRequirements: [] };
}

/** The tools of an agent, and its sub-agents with theirs. */
function detailsOf({ name: agent, tools, subAgents }: AgentInfo, path: readonly string[]): AgentSkill[] {
  const here = [...path, agent];
  const own = tools.map(({ name, description }) =>
    skillOf({ id: [...here, name].join("."), name, description: description || name, tags: ["tool"] }),
  );
  const others = subAgents.flatMap((sub) => [
    skillOf({
      id: [...here, sub.name].join("."),
      name: sub.name,
      description: sub.description || sub.name,
      tags: ["agent"],
    }),
    ...detailsOf(sub, here),
  ]);
  return [...own, ...others];
}
