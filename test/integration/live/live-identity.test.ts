import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { type Caller, EVERYBODY } from "#services/gateway/identity/caller.ts";
import { bearerToken } from "#services/gateway/identity/credentials.ts";
import type { Scope } from "#services/gateway/identity/scopes.ts";
import { LiveClient, refusedStatus } from "#test/helpers/live/live-client.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const caller = (userId: string, scopes: readonly Scope[], given: Partial<Caller> = {}): Caller => ({
  ...EVERYBODY,
  ...{ source: "api-key", subject: userId, userId, scopes: new Set(scopes), ...given },
});
const CALLERS: Readonly<Record<string, Caller>> = {
  ada: caller("ada", ["runs:write", "sessions:write"]),
  reader: caller("ada", ["sessions:read"]),
  bob: caller("bob", ["runs:write"]),
  "ada-elsewhere": caller("ada", ["runs:write"], { tenantId: "other" }),
  short: caller("ada", ["runs:write"], { expiresAtMs: 400 }),
};

const authenticator: Authenticator = {
  authenticate: (request) => {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const found = CALLERS[token];
    if (found === undefined) throw new PlatformError("UNAUTHENTICATED", "Unknown token.");
    return found;
  },
};

async function serve(clock = new FixedClock()) {
  const noted: AuditDecision[] = [];
  const auditor = { note: (decision: AuditDecision) => void noted.push(decision), require: async () => {} };
  const world = await startGateway({
    clock,
    deps: { authenticators: [authenticator], auditor },
    live: async (live) => {
      for (let next = await live.inputs.next(); next.done !== true; next = await live.inputs.next()) {
        await live.say(`heard ${next.value.n}`);
        if (next.value.request.close === true) return;
      }
    },
  });
  await world.store.createSession({ appName: "echo", userId: "ada", id: "s" });
  const url = await world.listen();
  const ticket = async (token: string): Promise<{ status: number; ticket: string }> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/v1/live-tickets`, { method: "POST", headers });
    return { status: response.status, ...((await response.json()) as { ticket: string }) };
  };
  return { ...world, url, live: `${url}/run_live?app_name=echo&user_id=ada&session_id=s`, ticket, clock, noted };
}

async function talk(url: string, options: Parameters<typeof LiveClient.connect>[1] = {}) {
  await using client = await LiveClient.connect(url, options);
  client.send({ close: true });
  return { ...(await client.closed), protocol: client.socket.protocol, texts: await client.texts(0) };
}

it("takes credentials as a header, as a sub-protocol and as a ticket", async () => {
  verifies("platform:live:tickets");
  await using world = await serve();
  const whole = { code: 1000, texts: ["heard 1"] };
  expect(await talk(world.live, { headers: { authorization: "Bearer ada" } })).toMatchObject(whole);
  const byProtocol = await talk(world.live, { protocols: ["fairlead.live", "bearer.ada"] });
  expect(byProtocol).toMatchObject({ ...whole, protocol: "fairlead.live" });
  const first = await world.ticket("ada");
  expect(await talk(`${world.live}&ticket=${first.ticket}`)).toMatchObject(whole);
  const second = await world.ticket("ada");
  expect(await talk(world.live, { protocols: ["fairlead.live", `ticket.${second.ticket}`] })).toMatchObject(whole);
});

it("accepts a ticket once, for thirty seconds, on this route alone", async () => {
  verifies("platform:live:tickets");
  await using world = await serve();
  const { ticket } = await world.ticket("ada");
  const asked = `${world.live}&ticket=${ticket}`;
  const elsewhere = `${world.url}/apps/echo/users/ada/sessions?ticket=${ticket}`;
  expect(await refusedStatus(elsewhere)).toBe(401);
  expect((await fetch(asked)).status).toBe(401);
  expect(await refusedStatus(asked)).toBe(101);
  expect(await refusedStatus(asked)).toBe(401);
  const late = await world.ticket("ada");
  world.clock.advance(30_001);
  expect(await refusedStatus(`${world.live}&ticket=${late.ticket}`)).toBe(401);
  for (const forged of ["", "x", "A".repeat(43), "A".repeat(100_00)])
    expect(await refusedStatus(`${world.live}&ticket=${forged}`)).toBe(401);
});

it("lets nobody into another user's session, whatever the way of the credentials", async () => {
  await using world = await serve();
  const statusOf = async (token: string) =>
    refusedStatus(world.live, { headers: { authorization: `Bearer ${token}` } });
  expect(await refusedStatus(world.live)).toBe(401);
  expect(await statusOf("forged")).toBe(401);
  expect(await statusOf("reader")).toBe(403);
  expect(await statusOf("bob")).toBe(403);
  expect((await world.ticket("reader")).status).toBe(403);
  const bobs = await world.ticket("bob");
  expect(await refusedStatus(`${world.live}&ticket=${bobs.ticket}`)).toBe(403);
  // The same user of another tenant has no such session.
  const elsewhere = await world.ticket("ada-elsewhere");
  expect(await talk(`${world.live}&ticket=${elsewhere.ticket}`)).toMatchObject({ code: 1002, texts: [] });
  expect((await world.store.list({ session: { appName: "echo", userId: "ada", id: "s" } })).runs).toEqual([]);
});

it("closes the socket when the credentials expire", async () => {
  await using world = await serve();
  await using client = await LiveClient.connect(world.live, { headers: { authorization: "Bearer short" } });
  expect(await client.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("credentials") });
});

it("records each conversation with its caller and its run, and each refusal", async () => {
  await using world = await serve();
  await talk(world.live, { headers: { authorization: "Bearer ada" } });
  await refusedStatus(world.live, { headers: { authorization: "Bearer bob" } });
  const [run] = (await world.store.list({ session: { appName: "echo", userId: "ada", id: "s" } })).runs;
  const found = world.noted.map(({ decision, subject, resource }) => [decision, subject, resource.runId]);
  expect(found).toEqual([
    ["allowed", "ada", run?.runId],
    ["refused", "bob", undefined],
  ]);
});
