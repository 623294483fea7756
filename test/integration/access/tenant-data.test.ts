import { expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import type { JsonObject } from "#kit/platform/json.ts";
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

async function startServer({ settings }: ServiceStores) {
  const folder = agentsFolder({}).path;
  const config = loadConfig(standaloneConfigSchema, { PORT: "0", AUTH: "api-key", DATA_DIR: folder, ...settings });
  const stack = new AsyncDisposableStack();
  const agent = new LlmAgent({ name: "echo", model: new ScriptedModel(Array.from({ length: 20 }, () => "answer")) });
  const agentLoader = new StaticAgentLoader([agent]);
  const server = stack.use(await createStandalone({ config, agentLoader, logger: new RecordingLogger() }));
  const store = await openKeyStore({ config, stack });
  const add = async (request: Partial<KeyRequest>) => {
    const sources = { clock: systemClock, ids: new UuidV7Generator() };
    const { record, text } = createKey({ name: "test", scopes: [...SCOPES], ...request }, sources);
    await store.create(record);
    return text;
  };
  const ask = async (key: string, method: string, path: string, body?: object) => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const reasonOf = async (...request: Parameters<typeof ask>) => {
    const { status, text } = await ask(...request);
    return [status, (JSON.parse(text) as JsonObject)["reason"]];
  };
  const exported = async (key: string, path: string) => {
    const { status, text } = await ask(key, "GET", path);
    expect([status, text.slice(0, status === 200 ? 0 : 300)]).toEqual([200, ""]);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
  };
  /** A session with a run, a file, memory and a set for the user. */
  const fill = async (key: string, userId: string) => {
    const base = `/apps/echo/users/${userId}`;
    const message = { appName: "echo", userId, sessionId: "s", newMessage: { parts: [{ text: `of ${userId}` }] } };
    const requests = [
      ["POST", `${base}/sessions/s`, { state: { "user:tea": userId } }],
      ["POST", "/run", message],
      ["POST", `${base}/sessions/s/artifacts`, { filename: "a.txt", artifact: { text: `file of ${userId}` } }],
      ["PATCH", `${base}/memory`, { sessionId: "s" }],
    ] as const;
    for (const [method, path, body] of requests) expect((await ask(key, method, path, body)).status).toBe(200);
  };
  const own = await add({});
  const acme = await add({ tenantId: "acme" });
  const other = await add({ tenantId: "other" });
  for (const key of [own, acme, other]) for (const user of ["ada", "bob"]) await fill(key, user);
  return { add, ask, reasonOf, exported, fill, own, acme, other, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const kinds = (lines: readonly JsonObject[]) =>
  [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, of]) => [kind, of.length]);
const WHOLE = [
  ["session", 2],
  ["event", 4],
  ["run", 2],
  ["user-state", 2],
  ["artifact", 2],
  ["memory", 4],
  ["api-key", 1],
  ["end", 1],
];

describeWithStores("the data of a tenant", {}, (nextStores) => {
  it("is exported by an operator and by the tenant's own, of all users or of one", async () => {
    verifies("tenants:export", "tenants:ops");
    await using server = await startServer(nextStores());
    const whole = await server.exported(server.own, "/v1/tenants/acme/export");
    expect(kinds(whole)).toEqual(WHOLE);
    expect(await server.exported(server.acme, "/v1/tenants/acme/export")).toEqual(
      whole.map((line) => (line["kind"] === "api-key" ? expect.objectContaining({ kind: "api-key" }) : line)),
    );
    const text = JSON.stringify(await server.exported(server.own, "/v1/tenants/acme/export?userId=ada"));
    expect(text).toContain("file of ada");
    expect(text).not.toContain("bob");
    expect(kinds(await server.exported(server.own, "/v1/tenants/absent/export"))).toEqual([["end", 1]]);
    for (const [method, path] of [
      ["GET", "/v1/tenants/other/export"],
      ["GET", "/v1/tenants/absent/export"],
      ["DELETE", "/v1/tenants/default?confirm=default"],
    ] as const)
      expect(await server.reasonOf(server.acme, method, path)).toEqual([404, "TENANT_NOT_FOUND"]);
    expect(await server.reasonOf(server.own, "GET", "/v1/tenants/acme/export?cursor=x")).toEqual([
      400,
      "INVALID_CURSOR",
    ]);
    expect(await server.reasonOf(server.own, "GET", "/v1/tenants/A_b/export")).toEqual([400, "INVALID_IDENTIFIER"]);
  });

  it("is deleted completely, and nothing of other tenants", async () => {
    verifies("tenants:delete", "tenants:ops");
    await using server = await startServer(nextStores());
    const before = [
      await server.exported(server.own, "/v1/tenants/other/export"),
      await server.exported(server.own, "/v1/tenants/default/export?userId=ada"),
    ];
    const answer = await server.ask(server.own, "DELETE", "/v1/tenants/acme");
    expect(JSON.parse(answer.text)).toEqual({
      tenantId: "acme",
      isDone: true,
      deleted: {
        evaluationJobs: 0,
        credentials: 0,
        pushes: 0,
        inbox: 0,
        schedules: 0,
        webhooks: 0,
        sessions: 2,
        artifacts: expect.any(Number),
        memory: 4,
        evaluations: 0,
        keys: 1,
      },
    });
    expect(kinds(await server.exported(server.own, "/v1/tenants/acme/export"))).toEqual([["end", 1]]);
    expect((await server.ask(server.acme, "GET", "/list-apps")).status).toBe(401);
    expect(await server.exported(server.own, "/v1/tenants/other/export")).toEqual(before[0]);
    expect(await server.exported(server.own, "/v1/tenants/default/export?userId=ada")).toEqual(before[1]);
    expect(JSON.parse((await server.ask(server.own, "GET", "/v1/tenant-deletions")).text)).toEqual({ deletions: [] });
    expect(await server.reasonOf(server.own, "DELETE", "/v1/tenants/default")).toEqual([422, "INVALID_FIELD"]);
  });

  it("is deleted for one user, and the tenant's other users keep theirs", async () => {
    verifies("tenants:delete");
    await using server = await startServer(nextStores());
    const { text } = await server.ask(server.acme, "DELETE", "/v1/tenants/acme?userId=ada");
    expect(JSON.parse(text)).toMatchObject({ tenantId: "acme", userId: "ada", isDone: true, deleted: { sessions: 1 } });
    const rest = JSON.stringify(await server.exported(server.acme, "/v1/tenants/acme/export"));
    expect(rest).toContain("file of bob");
    expect(rest).not.toContain('"ada"');
    await server.fill(server.acme, "ada");
  });

  it("operations that concern all tenants are for callers of the tenant default", async () => {
    verifies("tenants:ops");
    await using server = await startServer(nextStores());
    expect(await server.reasonOf(server.acme, "GET", "/metrics")).toEqual([403, "SERVER_WIDE"]);
    expect((await server.ask(server.own, "GET", "/metrics")).status).toBe(200);
    expect((await server.ask(server.acme, "GET", "/v1/keys")).status).toBe(200);
  });
});

describeWithStores("evaluations of a tenant", {}, (nextStores) => {
  it("are exported with the results of their cases and deleted, of all users or of one", async () => {
    verifies("tenants:export", "tenants:delete:evaluations");
    await using server = await startServer(nextStores());
    const scopes = SCOPES.filter((scope) => scope !== "users:all");
    const ada = await server.add({ tenantId: "acme", userId: "ada", scopes });
    const bob = await server.add({ tenantId: "acme", userId: "bob", scopes });
    const evalCases = ["one", "two"].map((evalId) => {
      const finalResponse = { role: "model", parts: [{ text: "answer" }] };
      const conversation = [{ userContent: { role: "user", parts: [{ text: evalId }] }, finalResponse }];
      return { evalId, conversation, sessionInput: { appName: "echo", userId: evalId === "one" ? "ada" : "carl" } };
    });
    const evalSet = { evalSetId: "smoke", name: "smoke", evalCases };
    expect((await server.ask(server.acme, "POST", "/apps/echo/eval-sets", { evalSet })).status).toBe(200);
    const evalMetrics = [{ metricName: "response_match_score", threshold: 1 }];
    const evaluate = async (key: string): Promise<unknown> => {
      const { text } = await server.ask(key, "POST", "/v1/evals", { appName: "echo", evalSetId: "smoke", evalMetrics });
      const { jobId } = JSON.parse(text) as JsonObject;
      await server.ask(key, "GET", `/v1/evals/${jobId}/stream`);
      return jobId;
    };
    const jobIds = { ada: await evaluate(ada), bob: await evaluate(bob), all: await evaluate(server.acme) };
    const evaluationsOf = async (query: string) => {
      const lines = await server.exported(server.acme, `/v1/tenants/acme/export${query}`);
      return lines.filter(({ kind }) => kind === "evaluation" || kind === "evaluation-result");
    };
    const linesOf = (jobId: unknown, requester: object) => [
      expect.objectContaining({ kind: "evaluation", jobId, appName: "echo", requester, status: "succeeded" }),
      ...["one", "two"].map((evalId, index) => ({
        ...{ kind: "evaluation-result", jobId, index },
        result: expect.objectContaining({ evalId, evalSetId: "smoke", finalEvalStatus: 1 }),
      })),
    ];
    /** The cases in stored results of the set, by the user as whom they ran. */
    const usersInResults = async (query: string) => {
      const lines = await server.exported(server.acme, `/v1/tenants/acme/export${query}`);
      const results = lines.flatMap(({ result, kind }) => (kind === "eval-result" ? [result as JsonObject] : []));
      return results.map(({ evalCaseResults }) => (evalCaseResults as JsonObject[]).map(({ userId }) => userId));
    };
    const byKey = (userId?: string) => ({ ...(userId !== undefined && { userId }), keyId: expect.any(String) });
    const [ofAda, ofBob] = [linesOf(jobIds.ada, byKey("ada")), linesOf(jobIds.bob, byKey("bob"))];
    const ofAll = linesOf(jobIds.all, byKey());
    expect(await evaluationsOf("?userId=ada")).toEqual(ofAda);
    expect(await evaluationsOf("")).toEqual([...ofAda, ...ofBob, ...ofAll]);
    expect(await usersInResults("")).toEqual([
      ["ada", "ada"],
      ["bob", "bob"],
      ["ada", "carl"],
    ]);
    expect(await usersInResults("?userId=ada")).toEqual([["ada", "ada"], ["ada"]]);

    const step = async (query: string) =>
      JSON.parse((await server.ask(server.own, "DELETE", `/v1/tenants/acme${query}`)).text) as JsonObject;
    // Bob's evaluation had her case, which ran as Bob; that of all users ran it as her.
    expect(await step("?userId=ada")).toMatchObject({ isDone: true, deleted: { evaluationJobs: 3, evaluations: 2 } });
    const [bobs, , bobsSecond] = ofBob;
    expect(await evaluationsOf("")).toEqual([bobs, bobsSecond, ofAll[0], ofAll[2]]);
    expect(await usersInResults("")).toEqual([[], ["bob", "bob"], ["carl"]]);
    expect(await usersInResults("?userId=ada")).toEqual([]);
    expect(await step("")).toMatchObject({ isDone: true, deleted: { evaluationJobs: 2, evaluations: 4 } });
    expect(kinds(await server.exported(server.own, "/v1/tenants/acme/export"))).toEqual([["end", 1]]);
  });
});
