import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import type { Auditor } from "#shared/audit/audit-recorder.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createDataStores } from "#test/helpers/worlds/data-stores.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import type { AgentFiles } from "../deps.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import { type Caller, EVERYBODY, NO_CALLER } from "../identity/caller.ts";

const NOW = new FixedClock().now();
const ADA = "/apps/echo/users/ada/sessions";
const TOKEN = "fl_secret";

const CALLERS: Readonly<Record<string, Caller>> = {
  ada: {
    ...EVERYBODY,
    source: "api-key",
    subject: "key:k1",
    keyId: "k1",
    userId: "ada",
    scopes: new Set(["sessions:read", "sessions:write"]),
  },
  reader: {
    ...EVERYBODY,
    source: "api-key",
    subject: "key:k2",
    userId: "ada",
    apps: ["echo"],
    scopes: new Set(["sessions:read"]),
  },
  foreign: { ...EVERYBODY, source: "api-key", tenantId: "acme", subject: "key:k3", keyId: "k3", userId: "ada" },
  admin: { ...EVERYBODY, source: "oidc", subject: "oidc:https://issuer|7", userId: "root" },
};

/** Reads the caller's name from the credentials. */
const byName: Authenticator = {
  authenticate: ({ headers }) => {
    const name = headers.authorization?.split(" ")[1];
    if (name === TOKEN) throw new PlatformError("UNAUTHENTICATED", "The key is wrong.");
    return name === undefined ? undefined : (CALLERS[name] ?? NO_CALLER);
  },
};

class KeptDecisions implements Auditor {
  readonly noted: AuditDecision[] = [];
  readonly required: AuditDecision[] = [];
  isAvailable = true;

  note(decision: AuditDecision): void {
    this.noted.push(decision);
  }

  async require(decision: AuditDecision): Promise<void> {
    if (!this.isAvailable) throw new PlatformError("AUDIT_UNAVAILABLE", "No record can be written.");
    this.required.push(decision);
  }
}

async function startAudited({
  authenticators = [byName],
  builder,
}: {
  readonly authenticators?: readonly Authenticator[] | "none";
  readonly builder?: AgentFiles;
} = {}) {
  const auditor = new KeptDecisions();
  const world = await startGateway({
    deps: {
      auditor,
      ...createDataStores(),
      ...(authenticators !== "none" && { authenticators }),
      ...(builder !== undefined && { builder }),
    },
  });
  const send = (as: string | undefined, method: "GET" | "POST" | "PATCH" | "DELETE", url: string, payload?: object) =>
    world.gateway.inject({
      method,
      url,
      headers: { "x-request-id": "r1", ...(as !== undefined && { authorization: `Bearer ${as}` }) },
      ...(payload !== undefined && { payload }),
    });
  return Object.assign(world as GatewayWorld, { auditor, send });
}

describe("the audit of requests", () => {
  it("records a change, with ids and without content", async () => {
    verifies("authentication:audit:decisions");
    await using world = await startAudited();
    await world.send("ada", "POST", `${ADA}/s1`, { state: { diary: "secret" } });
    await world.send("ada", "PATCH", `${ADA}/s1`, { stateDelta: { diary: "secret" } });
    const record: AuditDecision = {
      kind: "decision",
      timeMs: NOW,
      subject: "key:k1",
      keyId: "k1",
      action: "createSessionWithId",
      resource: { appName: "echo", userId: "ada", sessionId: "s1" },
      decision: "allowed",
      requestId: "r1",
    };
    expect(world.auditor.noted).toEqual([record, { ...record, action: "updateSessionState" }]);
  });

  it("records the tenant of a caller, unless it is default", async () => {
    verifies("authentication:audit:decisions", "authentication:tenants");
    await using world = await startAudited();
    for (const caller of ["ada", "foreign"]) await world.send(caller, "POST", `${ADA}/s1`, {});
    await world.send("foreign", "POST", "/v1/runs/none/cancel");
    expect(world.auditor.noted.map(({ tenantId, keyId, action }) => [tenantId, keyId, action])).toEqual([
      [undefined, "k1", "createSessionWithId"],
      ["acme", "k3", "createSessionWithId"],
      ["acme", "k3", "cancelRun"],
    ]);
  });

  it("names what the body of a request names", async () => {
    await using world = await startAudited();
    const message = { role: "user", parts: [{ text: "secret" }] };
    await world.send("admin", "POST", "/run", { appName: "echo", userId: "bob", sessionId: "s2", newMessage: message });
    expect(world.auditor.noted.map(({ action, resource }) => ({ action, resource }))).toContainEqual({
      action: "runAgent",
      resource: { appName: "echo", userId: "bob", sessionId: "s2" },
    });
    expect(JSON.stringify(world.auditor.noted)).not.toContain("secret");
  });

  it("records a read only if it reaches another user's data by users:all", async () => {
    verifies("authentication:audit:decisions");
    await using world = await startAudited();
    await world.store.createSession({ appName: "echo", userId: "ada", id: "s1" });
    await world.send("ada", "GET", `${ADA}/s1`);
    await world.send("admin", "GET", "/apps/echo/users/root/sessions");
    await world.send("admin", "GET", "/list-apps");
    expect(world.auditor.noted).toEqual([]);
    await world.send("admin", "GET", `${ADA}/s1`);
    expect(world.auditor.noted).toMatchObject([
      {
        subject: "oidc:https://issuer|7",
        action: "readSession",
        resource: { userId: "ada" },
        decision: "allowed",
        reason: "users:all",
      },
    ]);
  });

  it("records a refusal with the client's address, and never its credentials", async () => {
    verifies("authentication:audit:decisions");
    await using world = await startAudited();
    await world.send(undefined, "GET", `${ADA}/s1`);
    await world.send(TOKEN, "DELETE", `${ADA}/s1`);
    await world.send(TOKEN, "GET", "/nothing/here");
    const refused = { subject: "anonymous", decision: "refused", reason: "UNAUTHENTICATED", address: "127.0.0.1" };
    expect(world.auditor.noted).toMatchObject([
      { ...refused, action: "readSession", resource: { appName: "echo", userId: "ada", sessionId: "s1" } },
      { ...refused, action: "deleteSession" },
      { ...refused, action: "GET", resource: {} },
    ]);
    expect(JSON.stringify(world.auditor.noted)).not.toContain(TOKEN);
  });

  it("records that a caller asks for what it may not reach, also where the answer is that of something absent", async () => {
    verifies("authentication:audit:decisions");
    await using world = await startAudited();
    const session = { appName: "echo", userId: "bob", id: "s1" };
    await world.store.createSession(session);
    const run = await world.runner.startRun({ session, request: {} });
    const statuses = [
      await world.send("ada", "GET", "/apps/echo/users/bob/sessions/s1"),
      await world.send("ada", "POST", "/run", { appName: "echo", userId: "ada", sessionId: "s1", newMessage: {} }),
      await world.send("ada", "GET", `/v1/runs/${run.runId}`),
      await world.send("ada", "GET", "/v1/runs/absent"),
      await world.send("reader", "GET", "/apps/closed/users/ada/sessions"),
    ].map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([403, 403, 404, 404, 404]);
    expect(world.auditor.noted).toMatchObject([
      { action: "readSession", resource: { userId: "bob" }, decision: "refused", reason: "USER_NOT_ALLOWED" },
      { action: "runAgent", decision: "refused", reason: "SCOPE_MISSING" },
      { action: "readRun", resource: { runId: run.runId }, decision: "refused", reason: "RUN_NOT_FOUND" },
      { action: "listSessions", resource: { appName: "closed" }, decision: "refused", reason: "APP_NOT_FOUND" },
    ]);
  });

  it("records no read, no public page and no fault of a request", async () => {
    await using world = await startAudited({ authenticators: "none" });
    for (const url of [`${ADA}/missing`, "/health", "/apps/echo/users/ada/sessions", "/nowhere"])
      await world.send(undefined, "GET", url);
    await world.send(undefined, "POST", "/run", { appName: "" });
    expect(world.auditor.noted).toEqual([]);
    await world.send(undefined, "DELETE", `${ADA}/s1`);
    expect(world.auditor.noted).toMatchObject([{ subject: "anonymous", action: "deleteSession", decision: "allowed" }]);
  });

  it("writes the record of an agent's change first, and refuses the change without it", async () => {
    verifies("authentication:audit:fail-closed");
    let cancelled = 0;
    const builder: AgentFiles = {
      read: async () => undefined,
      save: async () => true,
      cancel: async () => {
        cancelled += 1;
        return true;
      },
    };
    await using world = await startAudited({ builder });
    const cancel = () => world.send("admin", "POST", "/builder/app/echo/cancel");
    expect((await cancel()).statusCode).toBe(200);
    expect(world.auditor.required).toMatchObject([{ resource: { appName: "echo" }, decision: "allowed" }]);
    expect(cancelled).toBe(1);
    world.auditor.isAvailable = false;
    const refused = await cancel();
    expect([refused.statusCode, refused.json().reason]).toEqual([503, "AUDIT_UNAVAILABLE"]);
    expect(cancelled).toBe(1);
    expect(world.auditor.noted).toMatchObject([{ decision: "refused", reason: "AUDIT_UNAVAILABLE" }]);
    // A conversation needs no record.
    expect((await world.send("ada", "POST", `${ADA}/s3`)).statusCode).toBe(200);
  });

  it.each([
    ["exportTenant", "GET", "/v1/tenants/acme/export"],
    ["deleteTenant", "DELETE", "/v1/tenants/acme"],
  ] as const)("records %s of a tenant first, and refuses it without a record", async (action, method, url) => {
    verifies("authentication:audit:fail-closed");
    await using world = await startAudited();
    const session = { tenantId: "acme", appName: "echo", userId: "ada", id: "s" };
    await world.store.createSession(session);
    world.auditor.isAvailable = false;
    const refused = await world.send("admin", method, url);
    expect([refused.statusCode, refused.json().reason]).toEqual([503, "AUDIT_UNAVAILABLE"]);
    expect(refused.body).not.toContain("ada");
    expect(await world.store.getSession(session)).toBeDefined();
    world.auditor.isAvailable = true;
    expect((await world.send("admin", method, url)).statusCode).toBe(200);
    expect(world.auditor.required).toMatchObject([{ action, resource: { id: "acme" }, decision: "allowed" }]);
  });
});
