import { generateKeyPairSync, verify } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess, type OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  ApplicationIntegrationToolset,
  type ApplicationIntegrationToolsetOptions,
} from "./application-integration-toolset.ts";
import { ConnectionsClient } from "./connections-client.ts";
import { getGoogleCredentials } from "./google-credentials.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = {
  type: "service_account",
  client_email: "agent@acme.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  private_key_id: "key-1",
  // Not used: the address for tokens is Google's.
  token_uri: "http://169.254.169.254/token",
};
const serviceAccountJson = JSON.stringify(KEY);
const PLACE = { project: "acme", location: "us-central1" };
const RESOURCE = "projects/acme/locations/us-central1";
const CONNECTION = `connectors.googleapis.com/v1/${RESOURCE}/connections/tickets`;
const SCHEMA = {
  type: "object",
  properties: { title: { type: "string" }, note: { type: ["string", "null"] } },
  required: ["title"],
};
const SPEC = {
  openapi: "3.0.1",
  servers: [{ url: "https://us-central1-integrations.googleapis.com" }],
  paths: {
    [`/v1/${RESOURCE}/integrations/orders:execute?triggerId=api_trigger/order`]: {
      post: {
        operationId: "placeOrder",
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      },
    },
  },
};

/** What each request must be, in the order of the interfaces' reference: method, address, and the check of its body. */
interface Route {
  readonly answer: unknown;
  readonly body?: JsonObject;
}

let routes: Record<string, readonly Route[]> = {};
const lines: string[] = [];
/** The time limits of the calls, as the guard gets them. */
const limits: (number | undefined)[] = [];
let token = 1;
/** The request at which Google revokes the token. */
let revokedAt: string | undefined;
let origin = "";
let guard: OutboundAccess;

function tokenAnswer(body: string): JsonObject {
  const form = new URLSearchParams(body);
  expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
  const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify("sha256", signed, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString("utf8"))).toMatchObject({
    iss: KEY.client_email,
    scope: "https://www.googleapis.com/auth/cloud-platform",
  });
  return { access_token: `token-${token}`, expires_in: 3600, token_type: "Bearer" };
}

function answerTo(request: IncomingMessage, body: string): unknown {
  const line = `${request.method} ${request.url?.slice(1)}`;
  lines.push(line);
  if (line === "POST oauth2.googleapis.com/token") return tokenAnswer(body);
  if (line === revokedAt) {
    revokedAt = undefined;
    token += 1;
  }
  if (request.headers.authorization !== `Bearer token-${token}`) return 401;
  const [route, ...later] = routes[line] ?? [];
  if (route === undefined) return undefined;
  routes[line] = later.length === 0 ? [route] : later;
  if (request.method === "POST") {
    expect(request.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toEqual(route.body);
  } else expect(body).toBe("");
  return route.answer;
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString("utf8");
  response.setHeader("content-type", "application/json");
  try {
    const answer = answerTo(request, body);
    const status = typeof answer === "number" ? answer : 200;
    response.writeHead(answer === undefined ? 404 : status).end(JSON.stringify(answer ?? {}));
  } catch (error) {
    // The expectation that failed reaches the test as the answer.
    response.writeHead(400).end(JSON.stringify({ error: { message: String(error) } }));
  }
});

/** The guard's own fetch; hosts of Google lead to the server of this test, the host first in the path. */
const outbound: OutboundAccess = {
  fetch: (input, init) => {
    const { host, pathname, search, protocol } = new URL(input);
    expect(protocol).toBe("https:");
    limits.push(init?.timeoutMs);
    return guard.fetch(`${origin}/${host}${pathname}${search}`, init);
  },
  [Symbol.asyncDispose]: async () => {},
};
// The client passes addresses as text.
const send: typeof fetch = (input, init) => outbound.fetch(String(input), init);

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  guard = createOutboundAccess({ allowedHosts: [`127.0.0.1:${port}`] });
});

afterAll(async () => {
  await guard[Symbol.asyncDispose]();
  server.close();
});

beforeEach(() => {
  lines.length = 0;
  limits.length = 0;
  token = 1;
  revokedAt = undefined;
  const connection = { name: `${RESOURCE}/connections/tickets`, serviceDirectory: "plain", host: "" };
  const entity = { jsonSchema: SCHEMA, operations: ["LIST", "GET", "CREATE", "UPDATE", "DELETE", "UPSERT"] };
  const action = { inputJsonSchema: SCHEMA, outputJsonSchema: {}, displayName: "Close Ticket", description: "" };
  routes = {
    [`GET ${CONNECTION}?view=BASIC`]: [{ answer: connection }],
    [`GET ${CONNECTION}/connectionSchemaMetadata:getEntityType?entityId=My%20Issues`]: [
      { answer: { name: `${RESOURCE}/operations/o1` } },
    ],
    [`GET ${CONNECTION}/connectionSchemaMetadata:getAction?actionId=close`]: [
      { answer: { name: `${RESOURCE}/operations/o2` } },
    ],
    [`GET ${CONNECTION}/connectionSchemaMetadata:getAction?actionId=ExecuteCustomQuery`]: [
      { answer: { name: `${RESOURCE}/operations/o3` } },
    ],
    [`GET connectors.googleapis.com/v1/${RESOURCE}/operations/o1`]: [{ answer: { done: true, response: entity } }],
    [`GET connectors.googleapis.com/v1/${RESOURCE}/operations/o2`]: [{ answer: { done: true, response: action } }],
    [`GET connectors.googleapis.com/v1/${RESOURCE}/operations/o3`]: [
      { answer: { done: true, response: { displayName: "Execute Custom Query" } } },
    ],
  };
});

const EXECUTE = `POST integrations.googleapis.com/v2/${RESOURCE}/integrations/ExecuteConnection:execute?triggerId=api_trigger/ExecuteConnection`;
const CONNECTED = { connectionName: `${RESOURCE}/connections/tickets`, serviceName: "plain", host: "" };

/** Calls one tool in a run; `response` is what the tool answers, and `declared` what its declaration says. */
async function call(options: Partial<ApplicationIntegrationToolsetOptions>, name: string, args: JsonObject) {
  const model = new ScriptedModel([functionCallResponse(name, args), "Done."]);
  const toolset = new ApplicationIntegrationToolset({ ...PLACE, serviceAccountJson, ...options });
  const agent = new LlmAgent({ name: "clerk", model, tools: [toolset] });
  const runner = new Runner({
    app: createApp({ name: "app", rootAgent: agent }),
    outbound,
    runConfig: { autoCreateSession: true },
  });
  const run = runner.runAsync({ userId: "ada", sessionId: "s", newMessage: userContent("Go.") });
  const events = await Array.fromAsync(run);
  const parts = events.flatMap(({ content }) => content?.parts ?? []);
  const declared = model.requests[0]?.functionDeclarations;
  return { response: parts.find((part) => part.functionResponse)?.functionResponse?.response, declared };
}

const entityOperations = { "My Issues": [] };

describe("ApplicationIntegrationToolset", () => {
  verifies("tools:application-integration:generates", "what-the-service-does:kit-application-integration-toolset");

  it("makes tools from the description of an integration, and sends the trigger in the query", async () => {
    routes[`POST us-central1-integrations.googleapis.com/v1/${RESOURCE}:generateOpenApiSpec`] = [
      {
        body: {
          apiTriggerResources: [{ integrationResource: "orders", triggerId: ["api_trigger/order"] }],
          fileFormat: "JSON",
        },
        answer: { openApiSpec: JSON.stringify(SPEC) },
      },
    ];
    const line = `POST us-central1-integrations.googleapis.com/v1/${RESOURCE}/integrations/orders:execute?triggerId=api_trigger/order`;
    routes[line] = [{ body: { item: "pen" }, answer: { executionId: "e1" } }];
    const options = { integration: "orders", triggers: ["api_trigger/order"] };
    const { response } = await call(options, "place_order", { body: { item: "pen" } });
    expect(response).toEqual({ executionId: "e1" });
  });

  it("sends no token to a server outside of Application Integration that the description names", async () => {
    routes[`POST us-central1-integrations.googleapis.com/v1/${RESOURCE}:generateOpenApiSpec`] = [
      {
        body: { apiTriggerResources: [{ integrationResource: "orders" }], fileFormat: "JSON" },
        answer: { openApiSpec: JSON.stringify({ ...SPEC, servers: [{ url: "https://evil.example.com" }] }) },
      },
    ];
    const called = call({ integration: "orders" }, "place_order", { body: {} });
    await expect(called).rejects.toThrow("another server: https://evil.example.com");
    expect(lines.filter((line) => line.includes("evil"))).toEqual([]);
  });

  it("offers all operations of an entity and the actions beside, without the fields that are fixed", async () => {
    routes[EXECUTE] = [
      {
        body: {
          ...CONNECTED,
          ...{ operation: "LIST_ENTITIES", entity: "My Issues", pageSize: 50, filterClause: "title='a'" },
        },
        answer: { connectorOutputPayload: [] },
      },
    ];
    const options = { connection: "tickets", entityOperations, actions: ["close"], toolInstructions: "Be careful." };
    const { response, declared } = await call(options, "list_my_issues", { filterClause: "title='a'" });
    expect(response).toEqual({ connectorOutputPayload: [] });
    const names = ["list", "get", "create", "update", "delete"].map((name) => `${name}_my_issues`);
    expect(declared?.map(({ name }) => name)).toEqual([...names, "close_ticket"]);
    const [list, , create, update] = declared ?? [];
    expect(list?.description).toMatch(/Fields: title, note\. Be careful\.$/);
    expect(Object.keys(list?.parameters?.["properties"] ?? {})).toEqual([
      "filterClause",
      "pageSize",
      "pageToken",
      "sortByColumns",
    ]);
    const note = { note: { type: ["string", "null"] } };
    expect(create?.parameters).toMatchObject({
      properties: { connectorInputPayload: { properties: note, required: ["title"] } },
      required: ["connectorInputPayload"],
    });
    expect(update?.parameters).toMatchObject({ required: ["connectorInputPayload", "entityId"] });
    expect(JSON.stringify(update?.parameters)).not.toContain('["title"]');
  });

  it.each([
    ["get_my_issues", { entityId: "7" }, { operation: "GET_ENTITY", entity: "My Issues" }],
    ["delete_my_issues", { entityId: "7" }, { operation: "DELETE_ENTITY", entity: "My Issues" }],
    [
      "create_my_issues",
      { connectorInputPayload: { title: "a" } },
      { operation: "CREATE_ENTITY", entity: "My Issues" },
    ],
    [
      "update_my_issues",
      { entityId: "7", connectorInputPayload: { note: null } },
      { operation: "UPDATE_ENTITY", entity: "My Issues" },
    ],
    ["close_ticket", { connectorInputPayload: { title: "a" } }, { operation: "EXECUTE_ACTION", action: "close" }],
    [
      "execute_custom_query",
      { query: "select 1" },
      { operation: "EXECUTE_QUERY", action: "ExecuteCustomQuery", timeout: 120, pageSize: 50 },
    ],
  ])("executes %s", async (name, args, fixed) => {
    routes[EXECUTE] = [{ body: { ...CONNECTED, ...args, ...fixed }, answer: { connectorOutputPayload: [1] } }];
    const actions = ["close", "ExecuteCustomQuery"];
    const { response } = await call({ connection: "tickets", entityOperations, actions }, name, args);
    expect(response).toEqual({ connectorOutputPayload: [1] });
  });

  it.each([
    [undefined, 130_000, 120],
    [40_000, 40_000, 30],
    [5000, 5000, 1],
  ])("gives a query its time, with the option timeoutMs %j", async (timeoutMs, limit, seconds) => {
    verifies("tools:application-integration:query-time");
    const timeout = seconds;
    const body = { ...CONNECTED, operation: "EXECUTE_QUERY", action: "ExecuteCustomQuery", query: "select 1" };
    routes[EXECUTE] = [{ body: { ...body, timeout, pageSize: 50 }, answer: { connectorOutputPayload: [1] } }];
    const options = { connection: "tickets", actions: ["ExecuteCustomQuery"], ...(timeoutMs && { timeoutMs }) };
    const { response } = await call(options, "execute_custom_query", { query: "select 1" });
    expect([response, limits.at(-1)]).toEqual([{ connectorOutputPayload: [1] }, limit]);
    const longer = await call(options, "execute_custom_query", { query: "select 1", timeout: seconds + 1 });
    expect(longer.response).toEqual({ error: expect.stringContaining("timeout") });
  });

  it("tells the model what is wrong with its arguments, and refuses one that is fixed", async () => {
    const options = { connection: "tickets", entityOperations: { "My Issues": ["GET"] } };
    const { response } = await call(options, "get_my_issues", { entityId: "7", connectionName: "other" });
    expect(response).toEqual({ error: expect.stringContaining("Wrong arguments for get_my_issues") });
    expect(lines).not.toContain(EXECUTE);
  });
});

describe("ConnectionsClient", () => {
  verifies("tools:application-integration:connections-client");
  const waits: number[] = [];
  const open = (connection = "tickets") =>
    new ConnectionsClient({
      ...PLACE,
      connection,
      credentials: getGoogleCredentials(serviceAccountJson, { fetch: send }),
      fetch: send,
      sleep: async (milliseconds) => void waits.push(milliseconds),
    });

  it("reads the details, and takes the directory with TLS for a connection with a host", async () => {
    const client = open();
    expect(await client.getConnectionDetails()).toEqual({
      name: `${RESOURCE}/connections/tickets`,
      serviceName: "plain",
      host: "",
    });
    routes[`GET ${CONNECTION}?view=BASIC`] = [
      { answer: { name: "n", serviceDirectory: "plain", tlsServiceDirectory: "tls", host: "h" } },
    ];
    expect(await client.getConnectionDetails()).toEqual({ name: "n", serviceName: "tls", host: "h" });
  });

  it("waits for the schema of an entity, and reads that of an action", async () => {
    const line = `GET connectors.googleapis.com/v1/${RESOURCE}/operations/o1`;
    routes[line] = [{ answer: {} }, { answer: { done: false } }, ...(routes[line] ?? [])];
    waits.length = 0;
    const client = open();
    const found = await client.getEntitySchemaAndOperations("My Issues");
    expect(found).toEqual({ schema: SCHEMA, operations: ["LIST", "GET", "CREATE", "UPDATE", "DELETE", "UPSERT"] });
    expect(waits).toEqual([1000, 1000]);
    const action = { inputSchema: SCHEMA, outputSchema: {}, description: "", displayName: "Close Ticket" };
    expect(await client.getActionSchema("close")).toEqual(action);
  });

  it("gives up an operation that is never done, and reports one that failed", async () => {
    const line = `GET connectors.googleapis.com/v1/${RESOURCE}/operations/o1`;
    routes[line] = [{ answer: { done: false } }];
    const client = open();
    await expect(client.getEntitySchemaAndOperations("My Issues")).rejects.toThrow("not done after 60 requests");
    expect(lines.filter((one) => one === line).length).toBe(60);
    routes[line] = [{ answer: { done: true, error: { code: 5, message: "no such table" } } }];
    await expect(client.getEntitySchemaAndOperations("My Issues")).rejects.toThrow("no such table");
    routes[`GET ${CONNECTION}/connectionSchemaMetadata:getEntityType?entityId=My%20Issues`] = [
      { answer: { name: "../secrets" } },
    ];
    await expect(client.getEntitySchemaAndOperations("My Issues")).rejects.toThrow("began no operation");
  });

  it.each([
    [400, "INVALID_FIELD"],
    [404, "INVALID_FIELD"],
    [401, "INTEGRATION_DENIED"],
    [403, "INTEGRATION_DENIED"],
    [500, "INTEGRATION_FAILED"],
  ])("reports the status %i as %s", async (status, reason) => {
    routes[`GET ${CONNECTION}?view=BASIC`] = [{ answer: status }];
    await expect(open().getConnectionDetails()).rejects.toMatchObject({ reason });
  });

  it("converts JSON Schema to a schema of OpenAPI", () => {
    const converted = ConnectionsClient.convertJsonSchemaToOpenApiSchema(SCHEMA);
    expect(converted).toMatchObject({ properties: { note: { type: "string", nullable: true } } });
  });
});

describe("a token that Google refuses before its time", () => {
  const operations = `connectors.googleapis.com/v1/${RESOURCE}/operations`;
  it.each([
    `GET ${CONNECTION}?view=BASIC`,
    `GET ${CONNECTION}/connectionSchemaMetadata:getEntityType?entityId=My%20Issues`,
    `GET ${operations}/o1`,
    EXECUTE,
  ])("is renewed, and the request sent again: %s", async (line) => {
    verifies("tools:application-integration:renewed");
    routes[EXECUTE] = [{ body: expect.objectContaining(CONNECTED), answer: { done: true } }];
    revokedAt = line;
    const { response } = await call(
      { connection: "tickets", entityOperations: { "My Issues": ["LIST"] } },
      "list_my_issues",
      {},
    );
    expect(response).toEqual({ done: true });
    expect(lines.filter((sent) => sent === line).length).toBe(2);
    // Another request may have been sent with the refused token.
    expect([2, 3]).toContain(lines.filter((sent) => sent.endsWith("/token")).length);
  });
});
