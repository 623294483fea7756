import { describe, expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createKey, type KeyRequest } from "#services/gateway/identity/keys/create-key.ts";
import { SCOPES } from "#services/gateway/identity/scopes.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openKeyStore } from "#shared/stores/key-store.ts";
import { describeWithStores, type ServiceStores } from "#test/helpers/servers/service-stores.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

const ANSWERS = Array.from({ length: 20 }, (_, index) => `answer ${index}`);
const SESSION = "/apps/echo/users/ada/sessions/s";
const ALL: Partial<KeyRequest> = { scopes: [...SCOPES] };
const FOREIGN_NAMES = { tenantId: "default", tenant: "default", tenant_id: "default" };
const FORGED = new URLSearchParams(FOREIGN_NAMES).toString();
const FORGED_HEADERS = { "x-forwarded-tenant": "default", "x-tenant": "default", "x-tenant-id": "default" };

/** The members of answers that these tests read. */
interface AnswerBody {
  readonly id?: string;
  readonly state?: Readonly<Record<string, unknown>>;
  readonly events?: readonly unknown[];
  readonly runs?: readonly { readonly runId: string }[];
  readonly reason?: string;
  readonly status?: string;
  readonly tenantId?: string;
  readonly key?: string;
  readonly keyId?: string;
  readonly keys?: readonly { readonly keyId: string; readonly name: string; readonly tenantId?: string }[];
  readonly nextPageToken?: string;
}

interface Asked {
  readonly status: number;
  /** Without members if the answer is a list. */
  readonly body: AnswerBody;
  /** Empty if the answer is not a list. */
  readonly items: readonly AnswerBody[];
  readonly headers: Headers;
}

async function startServer(settings: Readonly<Record<string, string>>) {
  const config = loadConfig(standaloneConfigSchema, { PORT: "0", DATA_DIR: agentsFolder({}).path, ...settings });
  const stack = new AsyncDisposableStack();
  const agent = new LlmAgent({ name: "echo", model: new ScriptedModel(ANSWERS) });
  const server = await createStandalone({
    config,
    agentLoader: new StaticAgentLoader([agent]),
    logger: new RecordingLogger(),
  });
  const store = await openKeyStore({ config, stack });
  stack.use(server);
  const ask = async (
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Asked> => {
    const answer = await fetch(server.url + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    // The answers have the form that the tests expect of them; a stream has another one.
    const given = (isJson(answer) ? JSON.parse(text) : {}) as AnswerBody | readonly AnswerBody[];
    const { status, headers: answered } = answer;
    return isList(given)
      ? { status, headers: answered, body: {}, items: given }
      : { status, headers: answered, body: given, items: [] };
  };
  const add = async (request: Partial<KeyRequest>) => {
    const sources = { clock: systemClock, ids: new UuidV7Generator() };
    const { record, text } = createKey({ name: "test", scopes: ["ops"], ...request }, sources);
    await store.create(record);
    return text;
  };
  /** A stream that is read until it contains a text. */
  const open = async (key: string, path: string) => {
    const controller = new AbortController();
    const answer = await fetch(server.url + path, {
      headers: { authorization: `Bearer ${key}` },
      signal: controller.signal,
    });
    expect(answer.status).toBe(200);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (wanted: string): Promise<string> => {
      while (!text.includes(wanted)) {
        const read = await reader?.read();
        if (read?.value === undefined) throw new Error(`The stream ended without ${wanted}: ${text}`);
        text += read.value;
      }
      return text;
    };
    return { until, [Symbol.asyncDispose]: async () => controller.abort() };
  };
  return { ask, add, open, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A server with a session of the tenant default, in which a run has ended, and keys with all scopes in two tenants. */
async function startTenants({ settings }: ServiceStores) {
  const world = await startServer({ AUTH: "api-key", ...settings });
  const own = await world.add(ALL);
  const foreign = await world.add({ ...ALL, tenantId: "acme" });
  expect((await world.ask(own, "POST", SESSION, { state: { note: "planted" } })).status).toBe(200);
  const message = { appName: "echo", userId: "ada", sessionId: "s", newMessage: { parts: [{ text: "planted" }] } };
  expect((await world.ask(own, "POST", "/run", message)).status).toBe(200);
  const [run] = (await world.ask(own, "GET", "/v1/runs")).body.runs ?? [];
  return { ...world, own, foreign, message, runId: run?.runId ?? "" };
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") === true;
}

function isList(given: AnswerBody | readonly AnswerBody[]): given is readonly AnswerBody[] {
  return Array.isArray(given);
}

describeWithStores("an evaluation of a set", {}, (nextStores) => {
  const RUN = "/apps/echo/eval_sets/smoke/run-eval";
  const EVALUATE = ["evals", "runs:write"] as const;

  it("needs the scope of runs too, and a user whose sessions it may create", async () => {
    await using world = await startTenants(nextStores());
    const sessionInput = { appName: "echo", userId: "ada" };
    const conversation = [{ userContent: { role: "user", parts: [{ text: "hi" }] } }];
    const evalSet = { evalSetId: "smoke", evalCases: [{ evalId: "one", conversation, sessionInput }] };
    expect((await world.ask(world.own, "POST", "/apps/echo/eval-sets", { evalSet })).status).toBe(200);
    const ask = async (request: Partial<KeyRequest>) => world.ask(await world.add(request), "POST", RUN, {});
    expect((await ask({ scopes: ["evals"], userId: "ben" })).body.reason).toBe("SCOPE_MISSING");
    expect((await ask({ scopes: EVALUATE })).body.reason).toBe("USER_NOT_ALLOWED");
    expect((await ask({ scopes: EVALUATE, userId: "ben", tenantId: "acme" })).body.reason).toBe("EVAL_SET_NOT_FOUND");
    expect(await ask({ scopes: EVALUATE, userId: "ben" })).toMatchObject({ status: 200, items: [{ userId: "ben" }] });
    expect(await ask({ scopes: [...EVALUATE, "users:all"] })).toMatchObject({
      status: 200,
      items: [{ userId: "ada" }],
    });
  });
});

describeWithStores("a caller of another tenant with all scopes", {}, (nextStores) => {
  it("reaches nothing by a forged tenant in path, query, body or header", async () => {
    verifies("authentication:tenants");
    await using world = await startTenants(nextStores());
    const { ask, foreign, runId } = world;
    const paths = [SESSION, "/apps/echo/users/ada/sessions", "/v1/runs", `/v1/runs/${runId}`, `${SESSION}/artifacts`];
    for (const path of paths) {
      const answer = await ask(foreign, "GET", `${path}?${FORGED}`, undefined, FORGED_HEADERS);
      const text = JSON.stringify([answer.body, answer.items]);
      expect([path, text]).toEqual([path, expect.not.stringContaining("planted")]);
      expect(text).not.toContain(`"runId":"${runId}","status"`);
    }
    for (const path of ["/tenants/default/apps/echo/users/ada/sessions/s", "/apps/default%2Fecho/users/ada/sessions/s"])
      expect((await ask(foreign, "GET", path)).status).toBe(404);
    const created = await ask(foreign, "POST", SESSION, { ...FOREIGN_NAMES, state: { mine: 1 } });
    expect(Object.keys(created.body).toSorted()).toEqual([
      "appName",
      "events",
      "id",
      "lastUpdateTime",
      "state",
      "userId",
    ]);
    expect((await ask(foreign, "GET", SESSION)).body.state).not.toHaveProperty("note");
    expect((await ask(world.own, "GET", SESSION)).body.state).toEqual({ note: "planted" });
  });

  it("has runs, lists and deletions of its own in sessions of the same names", async () => {
    verifies("authentication:tenants");
    await using world = await startTenants(nextStores());
    const { ask, own, foreign, runId, message } = world;
    await ask(foreign, "POST", SESSION, {});
    const body = { ...message, ...FOREIGN_NAMES, newMessage: { parts: [{ text: "hi" }] } };
    expect((await ask(foreign, "POST", "/run", body)).status).toBe(200);
    const { runs = [] } = (await ask(foreign, "GET", "/v1/runs")).body;
    expect(runs).toHaveLength(1);
    expect(runs[0]?.runId).not.toBe(runId);
    expect(runs[0]).not.toHaveProperty("tenantId");
    for (const action of ["cancel", "requeue"])
      expect((await ask(foreign, "POST", `/v1/runs/${runId}/${action}`)).body.reason).toBe("RUN_NOT_FOUND");
    for (const part of ["", "/stream", "/calls"])
      expect((await ask(foreign, "GET", `/v1/runs/${runId}${part}`)).body.reason).toBe("RUN_NOT_FOUND");
    expect((await ask(foreign, "DELETE", SESSION)).status).toBe(200);
    expect((await ask(foreign, "GET", SESSION)).status).toBe(404);
    const texts = JSON.stringify((await ask(own, "GET", SESSION)).body.events);
    expect([texts.includes("planted"), texts.includes('"hi"')]).toEqual([true, false]);
  });

  it("gets nothing by page tokens and cursors of the other tenant, and repeats no call of it", async () => {
    verifies("authentication:tenants");
    await using world = await startTenants(nextStores());
    const { ask, own, foreign, runId } = world;
    const list = "/apps/echo/users/ada/sessions";
    for (const name of ["t", "u"]) await ask(own, "POST", `${list}/${name}`, {});
    const page = await ask(own, "GET", `${list}?pageSize=1`);
    const token = encodeURIComponent(page.headers.get("x-next-page-token") ?? "");
    expect(token).not.toBe("");
    expect((await ask(foreign, "GET", `${list}?pageToken=${token}`)).items).toEqual([]);
    for (const after of ["0", "1", "2", "1-1.1"])
      expect((await ask(foreign, "GET", `/v1${SESSION}/stream?after=${after}`)).body.reason).toBe("SESSION_NOT_FOUND");
    for (const after of ["1.1", "1.2"])
      expect((await ask(foreign, "GET", `/v1/runs/${runId}/stream?after=${after}`)).body.reason).toBe("RUN_NOT_FOUND");
    await ask(foreign, "POST", SESSION, {});
    const ahead = await ask(foreign, "GET", `/v1${SESSION}/stream?after=2`);
    expect([ahead.body.reason, (await ask(own, "GET", SESSION)).body.events?.length]).toEqual(["INVALID_CURSOR", 2]);

    const once = { "idempotency-key": "k" };
    const first = await ask(own, "POST", list, { state: { a: "planted" } }, once);
    const other = await ask(foreign, "POST", list, { state: { a: "mine" } }, once);
    expect([first.status, other.status, other.body.state]).toEqual([200, 200, { a: "mine" }]);
    const again = await ask(own, "POST", list, { state: { a: "planted" } }, once);
    expect(again.body).toEqual(first.body);
  });

  it("creates, lists and revokes API keys of its own tenant only", async () => {
    verifies("authentication:tenants");
    await using world = await startTenants(nextStores());
    const { ask, own, foreign } = world;
    const listed = async (key: string) => (await ask(key, "GET", "/v1/keys")).body.keys ?? [];
    const body = { ...FOREIGN_NAMES, name: "n", scopes: ["sessions:read"] };
    const created = await ask(foreign, "POST", "/v1/keys", body);
    expect(created.body).toMatchObject({ name: "n", tenantId: "acme" });
    expect((await ask(created.body.key, "GET", "/auth/me")).body.tenantId).toBe("acme");
    expect((await listed(foreign)).map(({ tenantId }) => tenantId)).toEqual(["acme", "acme"]);
    const [ownKey, ...others] = await listed(own);
    expect(others).toEqual([]);
    expect(ownKey).not.toHaveProperty("tenantId");
    const revoke = (key: string, id = "") => ask(key, "DELETE", `/v1/keys/${id}`);
    expect((await revoke(foreign, ownKey?.keyId)).body.reason).toBe("API_KEY_NOT_FOUND");
    expect((await revoke(own, created.body.keyId)).body.reason).toBe("API_KEY_NOT_FOUND");
    expect((await revoke(foreign, created.body.keyId)).body.status).toBe("revoked");
    expect((await ask(own, "GET", "/auth/me")).body).not.toHaveProperty("tenantId");
  });

  it("streams the events of its own session of the same name, and is not notified of the other's", async () => {
    verifies("authentication:tenants");
    await using world = await startTenants(nextStores());
    const { ask, own, foreign, message } = world;
    await ask(foreign, "POST", SESSION, {});
    await using stream = await world.open(foreign, `/v1${SESSION}/stream`);
    await ask(own, "POST", "/run", { ...message, newMessage: { parts: [{ text: "planted again" }] } });
    await ask(foreign, "POST", "/run", { ...message, newMessage: { parts: [{ text: "mine" }] } });
    const text = await stream.until("mine");
    expect([text.includes("planted"), text.includes("mine")]).toEqual([false, true]);
  });

  it("gets pages of keys between which are many of other tenants", async () => {
    await using world = await startServer({ AUTH: "api-key", ...nextStores().settings });
    const key = await world.add({ name: "0", tenantId: "acme" });
    for (let count = 0; count < 25; count += 1) await world.add({ name: "foreign" });
    await world.add({ name: "1", tenantId: "acme" });
    const names: string[] = [];
    const places: string[] = [];
    for (let query: string | undefined = "?pageSize=1"; query !== undefined; ) {
      const { body } = await world.ask(key, "GET", `/v1/keys${query}`);
      names.push(...(body.keys ?? []).map(({ name }) => name));
      places.push(body.nextPageToken ?? "none");
      query = body.nextPageToken && `?pageSize=1&pageToken=${body.nextPageToken}`;
    }
    // No page shows the id of another tenant's key.
    const [first] = (await world.ask(key, "GET", "/v1/keys")).body.keys ?? [];
    expect([names, places]).toEqual([
      ["0", "1"],
      [first?.keyId, "none"],
    ]);
  });
});

describe("a server without authentication", () => {
  it("has the tenant default only, whatever requests name", async () => {
    await using world = await startServer({});
    const { ask } = world;
    const forged = new URLSearchParams({ tenantId: "acme" }).toString();
    await ask(undefined, "POST", `${SESSION}?${forged}`, { tenantId: "acme", state: { a: 1 } });
    expect((await ask(undefined, "GET", SESSION)).body.id).toBe("s");
    const { items } = await ask(undefined, "GET", `/apps/echo/users/ada/sessions?${forged}`);
    expect(items.map(({ id }) => id)).toEqual(["s"]);
    expect((await ask(undefined, "GET", `/v1/runs?${forged}`)).body.runs).toEqual([]);
    const evalSet = { evalSetId: "e", name: "e", evalCases: [], tenantId: "acme" };
    expect((await ask(undefined, "POST", "/apps/echo/eval-sets", { evalSet, tenantId: "acme" })).status).toBe(200);
    expect((await ask(undefined, "GET", "/apps/echo/eval-sets")).body).toMatchObject({ evalSetIds: ["e"] });
    expect((await ask(undefined, "GET", "/auth/me")).body).not.toHaveProperty("tenantId");
  });
});
