import { describe, expect, it } from "vitest";
import { RemoteEvaluationPermits } from "#adapters/grpc/remote-evaluation-permits.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { inCallScope, type RunCredentials } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { started } from "#test/contract/sessions/session-world.ts";
import { peerAt } from "#test/helpers/security/security-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startBackEnds } from "#test/helpers/worlds/back-ends-world.ts";

const MINUTE_MS = 60_000;
const JOB = { appName: "app", userId: "ada", jobId: "job-1" };
const OWN: SessionKey = { appName: "app", userId: "ada", id: "___eval___session___job-1-0" };
const ADA: Principal = { tenantId: "default", userId: "ada", scopes: [] };
const PART = { inlineData: { mimeType: "text/plain", data: "aGk=" } };
const FOREIGN = { reason: "FOREIGN_OWNER" };
const INVALID = { reason: "PRINCIPAL_INVALID" };
const REFUSED = { reason: "CALLER_NOT_ALLOWED" };

async function startWorld() {
  const world = await startBackEnds();
  const { files, clock, ports } = world;
  const as = (service: ServiceName) => files.withPrincipals(service, { clock });
  const permits = (service: ServiceName) => new RemoteEvaluationPermits(peerAt(ports.session, as(service), "session"));
  const opened = new AsyncDisposableStack();
  const [ofGateway, ofEval] = [opened.use(permits("gateway")), opened.use(permits("eval"))];
  const allow = (overrides: Partial<Parameters<typeof ofGateway.allow>[0]> = {}, principal = ADA) =>
    inCallScope({ principal }, async () => {
      const deadlineMs = clock.now() + 60 * MINUTE_MS;
      return (await ofGateway.allow({ ...JOB, deadlineMs, ...overrides })) ?? "";
    });
  const grant = (permit: string, session: SessionKey = OWN) =>
    inCallScope({ credentials: { grant: permit } }, () => ofEval.grant(session));
  const within = <Result>(credentials: RunCredentials, work: () => Promise<Result>) =>
    inCallScope({ credentials: { ...credentials } }, work);
  return {
    ...world,
    ...{ as, permits, allow, grant, within },
    evaluator: world.connect(as("eval")),
    runner: world.connect(as("runner")),
    [Symbol.asyncDispose]: async () => {
      await opened.disposeAsync();
      await world[Symbol.asyncDispose]();
    },
  };
}

describe("the evaluation service", () => {
  it("gets grants for the sessions of an evaluation that a gateway has asked for, and for no others", async () => {
    verifies("platform:evaluation-reach");
    await using world = await startWorld();
    const permit = await world.allow();
    expect((await world.grant(permit)).text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    for (const other of [
      { ...OWN, id: "___eval___session___job-2-0" },
      { ...OWN, id: "talk" },
      { ...OWN, userId: "bob" },
      { ...OWN, appName: "other" },
      { ...OWN, tenantId: "acme" },
    ])
      await expect(world.grant(permit, other)).rejects.toMatchObject(FOREIGN);
  });

  it("gets them for the users that the gateway's caller reaches", async () => {
    await using world = await startWorld();
    await expect(world.allow({ userId: "bob" })).rejects.toMatchObject(FOREIGN);
    await expect(world.allow({ userId: undefined })).rejects.toMatchObject(FOREIGN);
    await expect(world.allow({ tenantId: "acme" })).rejects.toMatchObject(FOREIGN);
    const everybody = await world.allow({ userId: undefined }, { tenantId: "default", scopes: ["users:all"] });
    await world.grant(everybody, { ...OWN, userId: "bob" });
    await expect(world.grant(everybody, { ...OWN, userId: "bob", id: "talk" })).rejects.toMatchObject(FOREIGN);
    await expect(world.grant(everybody, { ...OWN, tenantId: "acme" })).rejects.toMatchObject(FOREIGN);
  });

  it("creates, fills and reads the session of a grant, and reaches nothing else by it", async () => {
    await using world = await startWorld();
    const { evaluator } = world;
    await world.stores.sessions.createSession({ ...OWN, id: "talk" });
    const { text } = await world.grant(await world.allow());
    await world.within({ principal: text }, async () => {
      await evaluator.sessions.createSession({ ...OWN, state: { city: "Rome" } });
      expect((await evaluator.sessions.listEventRecords(OWN)).events).toEqual([]);
      await evaluator.artifacts.saveArtifact({ session: OWN, filename: "large", artifact: PART });
      for (const other of [
        { ...OWN, id: "talk" },
        { ...OWN, userId: "bob" },
        { ...OWN, tenantId: "acme" },
      ]) {
        await expect(evaluator.sessions.createSession(other)).rejects.toMatchObject(FOREIGN);
        await expect(evaluator.sessions.listEventRecords(other)).rejects.toMatchObject(FOREIGN);
        const save = evaluator.artifacts.saveArtifact({ session: other, filename: "f", artifact: PART });
        await expect(save).rejects.toMatchObject(FOREIGN);
      }
      const ofUser = { session: OWN, filename: "user:note", artifact: PART };
      await expect(evaluator.artifacts.saveArtifact(ofUser)).rejects.toMatchObject(FOREIGN);
      await expect(evaluator.sessions.getSession(OWN)).rejects.toMatchObject(REFUSED);
      await expect(evaluator.sessions.deleteSession(OWN)).rejects.toMatchObject(REFUSED);
      await expect(evaluator.sessions.listSessions(OWN)).rejects.toMatchObject(REFUSED);
      await expect(evaluator.artifacts.loadArtifact({ session: OWN, filename: "large" })).rejects.toMatchObject(
        REFUSED,
      );
      await expect(evaluator.memory.searchMemory(OWN, "tea")).rejects.toMatchObject(REFUSED);
      await expect(started(evaluator.journal, "run", { session: OWN })).rejects.toMatchObject(REFUSED);
    });
  });

  it("lets a runner begin runs in the session of its grant, and in no other", async () => {
    await using world = await startWorld();
    const { runner, evaluator } = world;
    const { text } = await world.grant(await world.allow());
    await world.within({ principal: text }, () => evaluator.sessions.createSession(OWN));
    await world.stores.sessions.createSession({ ...OWN, id: "talk" });
    const begin = (session: SessionKey) =>
      world.within({ principal: text }, () => started(runner.journal, "run", { session }));
    await expect(begin({ ...OWN, id: "talk" })).rejects.toMatchObject(FOREIGN);
    expect((await begin(OWN)).run.status).toBe("running");
    const read = await world.within({ principal: text }, () => evaluator.journal.get("run"));
    expect(read?.status).toBe("running");
    // The run itself has the usual grant of a run: the evaluation's reaches no files that runs have.
    await world.within({ principal: text }, async () => {
      await expect(runner.artifacts.listArtifactKeys(OWN)).rejects.toMatchObject(INVALID);
    });
  });

  it("has them for minutes, and gets new ones until the permit's deadline", async () => {
    await using world = await startWorld();
    const { clock, evaluator } = world;
    const permit = await world.allow({ deadlineMs: clock.now() + 8 * MINUTE_MS });
    const first = await world.grant(permit);
    expect(first.expiresAtMs - clock.now()).toBeLessThanOrEqual(5 * MINUTE_MS);
    clock.advance(6 * MINUTE_MS);
    const late = world.within({ principal: first.text }, () => evaluator.sessions.listEventRecords(OWN));
    await expect(late).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED" });
    const last = await world.grant(permit);
    expect(last.expiresAtMs).toBeLessThanOrEqual(first.expiresAtMs + 3 * MINUTE_MS);
    clock.advance(2 * MINUTE_MS);
    await expect(world.grant(permit)).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED" });
    const day = await world.allow({ deadlineMs: clock.now() + 10 * 24 * 60 * MINUTE_MS });
    clock.advance(24 * 60 * MINUTE_MS);
    await expect(world.grant(day)).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED" });
  });

  it("cannot show one kind of text for another, and nobody else can show them", async () => {
    await using world = await startWorld();
    const { evaluator, runner } = world;
    const permit = await world.allow();
    const { text } = await world.grant(permit);
    await expect(world.grant(text)).rejects.toMatchObject(INVALID);
    await expect(world.grant("")).rejects.toMatchObject(INVALID);
    await expect(world.grant(`${permit}x`)).rejects.toMatchObject(INVALID);
    const read = (credentials: RunCredentials) =>
      world.within(credentials, () => evaluator.sessions.listEventRecords(OWN));
    await expect(read({ principal: permit })).rejects.toMatchObject(INVALID);
    await expect(read({})).rejects.toMatchObject(INVALID);
    await expect(read({ grant: text })).rejects.toMatchObject(INVALID);
    for (const service of ["runner", "gateway"] as const) {
      await using others = world.permits(service);
      const ask = inCallScope({ principal: ADA, credentials: { grant: permit } }, () => others.grant(OWN));
      await expect(ask).rejects.toMatchObject(REFUSED);
    }
    for (const service of ["runner", "eval"] as const) {
      await using others = world.permits(service);
      const ask = others.allow({ ...JOB, deadlineMs: world.clock.now() });
      await expect(ask).rejects.toMatchObject(REFUSED);
    }
    await world.within({ grant: text }, async () => {
      await expect(runner.sessions.listEventRecords(OWN)).rejects.toMatchObject(INVALID);
      await expect(runner.artifacts.listArtifactKeys(OWN)).rejects.toMatchObject(INVALID);
    });
  });
});

describe("jobs of evaluations", () => {
  it("are reached by their requesters, and by those who reach all users of the tenant", async () => {
    await using world = await startWorld();
    const { evalJobs } = world.gateway;
    const job = {
      ...{ jobId: "j1", appName: "app", evalSetId: "smoke", metrics: [], cases: [], fingerprint: "f" },
      requester: { userId: "ada" },
      userId: "ada",
    };
    const as = <Result>(principal: Principal, work: () => Promise<Result>) => inCallScope({ principal }, work);
    await as(ADA, () => evalJobs.start(job));
    const everybody = { tenantId: "default", scopes: ["users:all"] };
    for (const principal of [ADA, everybody]) {
      expect(await as(principal, () => evalJobs.get(job))).toMatchObject({ jobId: "j1" });
      expect(await as(principal, () => evalJobs.listCases(job))).toEqual([]);
    }
    const bob = { ...ADA, userId: "bob" };
    await expect(as(bob, () => evalJobs.start({ ...job, jobId: "j2" }))).rejects.toMatchObject(FOREIGN);
    await expect(as(bob, () => evalJobs.list({ userId: "ada" }))).rejects.toMatchObject(FOREIGN);
    await expect(as(bob, () => evalJobs.list({}))).rejects.toMatchObject(FOREIGN);
    expect((await as(bob, () => evalJobs.list({ userId: "bob" }))).jobs).toEqual([]);
    for (const principal of [bob, { ...ADA, tenantId: "acme" }, { ...ADA, appName: "other" }]) {
      const absent = { reason: "EVAL_JOB_NOT_FOUND" };
      const key = { jobId: "j1", ...(principal.tenantId === "acme" && { tenantId: "acme" }) };
      expect(await as(principal, () => evalJobs.get(key))).toBeUndefined();
      await expect(as(principal, () => evalJobs.listCases(key))).rejects.toMatchObject(absent);
      await expect(as(principal, () => evalJobs.listResults(key))).rejects.toMatchObject(absent);
      await expect(as(principal, () => evalJobs.cancel(key))).rejects.toMatchObject(absent);
      const watch = as(principal, () => Array.fromAsync(evalJobs.watch(key, new AbortController().signal)));
      await expect(watch).rejects.toMatchObject(absent);
    }
    expect(await as(ADA, () => evalJobs.cancel(job))).toMatchObject({ status: "cancelled" });
  });
});
