import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { systemClock as clock } from "#kit/platform/clock.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { addRoutes, type Gateway } from "#services/gateway/add-routes.ts";
import { gatewayConfigSchema } from "#services/gateway/config.ts";
import { openIdentity } from "#services/gateway/identity/open-identity.ts";
import type { ShapeTypeProvider } from "#services/gateway/requests/typed-routes.ts";
import { openAgentFiles } from "#shared/agents/editor/open-agent-files.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { type ApiOperation, listIn, operationsOf } from "#test/helpers/openapi-operations.ts";
import { routesOf } from "#test/helpers/printed-routes.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { operationsOfRound, ROUNDS } from "./matrix-rounds.ts";
import { NEEDED } from "./needed-scopes.ts";
import { startOneProcess } from "./one-process-server.ts";

/**
 * What a server has beside the operations of its description, with what anybody gets who is not signed in. A new route is
 * an operation with an access, which the matrix tries, or it is added here.
 */
const PAGES: Readonly<Record<string, { readonly status: number; readonly url?: string }>> = {
  "GET /": { status: 302 },
  "GET /.well-known/agent-card.json": { status: 200 },
  "GET /a2a/:appName/v0.3/.well-known/agent-card.json": {
    status: 404,
    url: "/a2a/absent/v0.3/.well-known/agent-card.json",
  },
  "GET /auth/callback": { status: 401 },
  "GET /auth/login": { status: 200 },
  "GET /auth/sign-in.css": { status: 200 },
  "GET /auth/sign-in.js": { status: 200 },
  "GET /auth/signed-in.js": { status: 200 },
  "GET /auth/start": { status: 404, url: "/auth/start?provider=7" },
  "GET /console": { status: 302 },
  "GET /console/*": { status: 200, url: "/console/console.js" },
  "GET /console/evaluations": { status: 302 },
  "GET /console/inbox": { status: 302 },
  "GET /console/schedules": { status: 302 },
  "GET /console/usage": { status: 302 },
  "GET /console/webhooks": { status: 302 },
  "GET /dev-ui": { status: 302 },
  "GET /dev-ui/": { status: 302 },
  "GET /dev-ui/*": { status: 404, url: "/dev-ui/absent.js" },
  "GET /dev-ui/assets/config/runtime-config.json": { status: 200 },
  "GET /dev-ui/assets/fairlead.js": { status: 200 },
  "GET /dev-ui/assets/fairlead.svg": { status: 200 },
  "GET /docs": { status: 302 },
  "GET /docs/*": { status: 200, url: "/docs/docs.js" },
  "POST /auth/login": { status: 422 },
  "POST /auth/logout": { status: 403 },
  "POST /auth/refresh": { status: 403 },
};

/** Operations that are only there if a setting names apps for them, or a folder. */
const EVERYTHING = { DEV_UI: true, CONSOLE: true, MCP_APPS: ["*"], A2A_APPS: ["*"], DEFAULT_APP_NAME: "echo" };

/** `a2a-callers.test.ts` tries these: what they do is in a path or a body, and their errors have the protocol's form. */
const OF_A2A = /^\/a2a\/|^\/\.well-known\//;

function signingKeys(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return join(agentsFolder({ key: privateKey.export({ format: "pem", type: "pkcs8" }).toString() }).path, "key");
}

/** A gateway with every route that settings switch on, whose callers have API keys and can sign in. */
async function startEverything() {
  await using stack = new AsyncDisposableStack();
  const logger = new RecordingLogger();
  const config = {
    ...defaultsOf(gatewayConfigSchema),
    ...EVERYTHING,
    A2A_SIGNING_KEYS_FILE: signingKeys(),
    AUTH: ["api-key" as const],
  };
  const keys = new TabularKeyStore({ table: new InMemoryRowTable() });
  const identity = await openIdentity({ config, clock, logger, stack, openKeyStore: async () => keys });
  const builder = openAgentFiles(agentsFolder({}).path, "");
  const { gateway } = stack.use(
    await startGateway({ config, clock, deps: { ...identity, builder }, live: async () => {} }),
  );
  const moved = stack.move();
  return { gateway, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function documentOf(gateway: Gateway): Promise<JsonObject> {
  return (await gateway.inject("/openapi.json")).json<JsonObject>();
}

/** The routes of an app that a server with a default app also serves without its name. */
function isOfDefaultApp(name: string, described: ReadonlySet<string>): boolean {
  const [method, path = ""] = name.split(" ");
  return described.has(`${method} /apps/{appName}${path}`);
}

it("is refused at the start of a server if it declares no access", async () => {
  verifies("authentication:access:declared");
  await using world = await startGateway();
  await using app = fastify({ exposeHeadRoutes: false }).withTypeProvider<ShapeTypeProvider>();
  await addRoutes(app, world.deps);
  expect(() => app.get("/forgotten", async () => "data")).toThrow("/forgotten declares no access.");
});

describe("the routes that the matrix tries", () => {
  it("are all routes of a server with every setting switched on, but for pages that are named here", async () => {
    verifies("authentication:scopes", "authentication:foreign-user");
    await using world = await startEverything();
    const described = new Set(
      operationsOf(await documentOf(world.gateway)).map(({ method, path }) => `${method} ${path}`),
    );
    const others = routesOf(world.gateway)
      .map(({ method, url }) => ({ method, url, path: url.replace(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}") }))
      .filter(
        ({ method, path }) => !described.has(`${method} ${path}`) && !isOfDefaultApp(`${method} ${path}`, described),
      )
      .map(({ method, url }) => `${method} ${url}`);
    expect(others.toSorted()).toEqual(Object.keys(PAGES));
  });

  it("are tried in each of their spellings, but for the operations of A2A", async () => {
    await using server = await startOneProcess();
    await using world = await startEverything();
    const tried = await documentOf(server.gateway);
    const ids = ROUNDS.flatMap((round) => operationsOfRound(tried, round)).map(({ id }) => id);
    const all = operationsOf(await documentOf(world.gateway))
      .filter(({ path }) => !OF_A2A.test(path))
      .map(({ id }) => id);
    expect([...new Set(ids)].toSorted()).toEqual(all.toSorted());
  });

  it("need the scopes that are named here, whatever their routes declare", async () => {
    verifies("authentication:scopes");
    await using world = await startOneProcess({ A2A_APPS: "weather", A2A_SIGNING_KEYS_FILE: signingKeys() });
    const operations = operationsOf(await documentOf(world.gateway));
    const neededBy = (operation: ApiOperation): string =>
      listIn(operation.object, "security").length === 0 ? "public" : String(operation.object["x-scope"] ?? "any");
    const declared = Map.groupBy(operations, neededBy);
    const found = [...declared].map(([name, all]) => [
      name,
      [...new Set(all.map(({ purpose }) => purpose))].toSorted(),
    ]);
    expect(Object.fromEntries(found)).toEqual(NEEDED);
  });
});

describe("pages and their files", () => {
  it.each(Object.entries(PAGES))("have nothing for those who are not signed in: %s", async (name, { status, url }) => {
    verifies("authentication:sign-in:page");
    await using world = await startEverything();
    const [method, path = ""] = name.split(" ");
    const ask = async (credentials: Readonly<Record<string, string>>) => {
      const request = { method: method as "GET", url: url ?? path, headers: credentials };
      const { statusCode, headers, body } = await world.gateway.inject(request);
      return { statusCode, location: headers.location, text: withoutRequestId(body) };
    };
    const anonymous = await ask({});
    expect(anonymous.statusCode).toBe(status);
    const credentials: Record<string, string>[] = [
      { authorization: "Bearer fl_wrong" },
      { "x-api-key": "x" },
      { cookie: "fairlead=forged" },
    ];
    for (const wrong of credentials) expect(await ask(wrong)).toEqual(anonymous);
  });
});

function withoutRequestId(text: string): string {
  return text.replace(/"requestId":"[^"]*"/, "");
}
