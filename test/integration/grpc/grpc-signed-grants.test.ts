import { describe, expect, it, vi } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { toBeginMessage } from "#adapters/grpc/messages/begin-messages.ts";
import { toDuration } from "#adapters/grpc/messages/messages.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type CallScope, inCallScope } from "#shared/security/call-scope.ts";
import { beginRequest, KEY, LEASE_MS, record, started } from "#test/contract/sessions/session-world.ts";
import { startRunner } from "#test/helpers/security/granted-runner.ts";
import { peerAt } from "#test/helpers/security/security-files.ts";
import { verifies } from "#test/helpers/verifies.ts";

const FOREIGN = { reason: "FOREIGN_OWNER" };
const INVALID = { reason: "PRINCIPAL_INVALID" };
const PART = { inlineData: { mimeType: "text/plain", data: "aGk=" } };

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "done",
    ({ reason }: { readonly reason: string }) => reason,
  );
}

describe("the grant for other services than the session service", () => {
  const headerOf = (grant: string | undefined): unknown =>
    JSON.parse(Buffer.from(grant?.split(".")[0] ?? "", "base64url").toString());

  it("is asked for once, when a run first calls another service", async () => {
    verifies("platform:session-grants");
    await using world = await startRunner();
    const { runner } = world;
    const sign = vi.spyOn(runner.journal, "signGrant");
    const scope = world.startOf(KEY);
    await inCallScope(scope, async () => {
      const { lease } = await started(runner.journal, "mine");
      expect(headerOf(scope.credentials.grant)).toMatchObject({ alg: "HS256" });
      await runner.journal.append({ lease, leaseMs: LEASE_MS, afterRevision: 0, events: [record("a")] });
      expect((await runner.sessions.listEventRecords(KEY)).events.length).toBe(1);
      expect(sign).not.toHaveBeenCalled();
      await Promise.all([runner.artifacts.listArtifactKeys(KEY), runner.memory.searchMemory(KEY, "tea")]);
      await runner.artifacts.saveArtifact({ session: KEY, filename: "note", artifact: PART });
      expect(sign).toHaveBeenCalledTimes(1);
      expect(headerOf(scope.credentials.signed?.text)).toMatchObject({ alg: "EdDSA" });
    });
  });

  it("is asked for again after the session service has replaced the run's own", async () => {
    await using world = await startRunner();
    const { runner, clock } = world;
    const sign = vi.spyOn(runner.journal, "signGrant");
    await inCallScope(world.startOf(KEY), async () => {
      const { lease } = await started(runner.journal, "mine");
      await runner.artifacts.listArtifactKeys(KEY);
      clock.advance(61_000);
      await runner.journal.renew(lease, LEASE_MS);
      await runner.artifacts.listArtifactKeys(KEY);
      expect(sign).toHaveBeenCalledTimes(2);
      clock.advance(119_000);
      await runner.artifacts.listArtifactKeys(KEY);
      clock.advance(1000);
      await expect(runner.artifacts.listArtifactKeys(KEY)).rejects.toMatchObject({ reason: "PRINCIPAL_EXPIRED" });
    });
  });

  it("is asked for again after a failure, and its call fails with that one", async () => {
    await using world = await startRunner();
    const { runner } = world;
    const error = new PlatformError("SERVICE_UNAVAILABLE", "away");
    const sign = vi.spyOn(runner.journal, "signGrant").mockRejectedValueOnce(error);
    await inCallScope(world.startOf(KEY), async () => {
      await started(runner.journal, "mine");
      await expect(runner.artifacts.listArtifactKeys(KEY)).rejects.toBe(error);
      expect(await runner.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: [] });
      expect(sign).toHaveBeenCalledTimes(2);
    });
  });

  it("is not given for a principal, for a run that waits, for an expired grant, or without one", async () => {
    verifies("platform:session-grants");
    await using world = await startRunner();
    const { runner, stores, clock } = world;
    await started(stores.sessions, "first", { holder: "runner 2" });
    const ask = (scope: CallScope) => reasonOf(inCallScope(scope, () => runner.journal.signGrant()));
    expect(await ask(world.startOf(KEY))).toBe("PRINCIPAL_INVALID");
    expect(await ask({ credentials: {} })).toBe("PRINCIPAL_INVALID");
    const waiting = world.startOf(KEY);
    await inCallScope(waiting, () => runner.journal.begin(beginRequest("second")));
    expect(await ask(waiting)).toBe("PRINCIPAL_INVALID");
    const other = { ...KEY, id: "other" };
    await stores.sessions.createSession(other);
    const mine = world.startOf(other);
    await inCallScope(mine, () => started(runner.journal, "mine", { session: other }));
    expect(await ask(mine)).toBe("done");
    clock.advance(120_000);
    expect(await ask(mine)).toBe("PRINCIPAL_EXPIRED");
  });

  it("reaches what the run's own does, and no other session, user or tenant", async () => {
    verifies("platform:session-grants");
    await using world = await startRunner();
    const { runner } = world;
    const scope = world.startOf(KEY);
    await inCallScope(scope, () => started(runner.journal, "mine"));
    await inCallScope(scope, async () => {
      expect(await runner.artifacts.listArtifactKeys(KEY)).toEqual({ filenames: [] });
      for (const theirs of [
        { ...KEY, id: "other" },
        { ...KEY, userId: "other" },
        { ...KEY, tenantId: "acme" },
      ])
        await expect(runner.artifacts.listArtifactKeys(theirs)).rejects.toMatchObject(FOREIGN);
    });
    // Shown as it is, the grant for the session service reaches no other one.
    const { grant = "" } = scope.credentials;
    const signed = { of: grant, arrival: Promise.resolve(), text: grant };
    const shown = inCallScope({ credentials: { grant, signed } }, () => runner.artifacts.listArtifactKeys(KEY));
    await expect(shown).rejects.toMatchObject(INVALID);
  });

  it("is what a runner of another version gets, which does not ask for it, and keeps", async () => {
    await using world = await startRunner();
    const { files, ports, clock } = world;
    const security = files.withPrincipals("runner", { clock });
    const { service } = loadProto("runJournal").fairlead.session.v1.RunJournalService;
    await using peer = new GrpcPeer({
      ...peerAt(ports.session, security, "session"),
      name: "session",
      methods: service,
    });
    const scope = world.startOf(KEY);
    const [begun] = await inCallScope(scope, () =>
      Array.fromAsync(peer.serverStream(service.BeginRun, toBeginMessage(beginRequest("mine")))),
    );
    expect(headerOf(begun?.grant)).toMatchObject({ alg: "EdDSA" });
    clock.advance(61_000);
    const renewing = { lease: begun?.started?.lease ?? null, leaseDuration: toDuration(LEASE_MS) };
    const grant = begun?.grant ?? "";
    const renewed = await inCallScope({ credentials: { grant } }, () => peer.unary(service.RenewLease, renewing));
    expect(headerOf(renewed.grant)).toMatchObject({ alg: "EdDSA" });
  });
});
