import { describe, expect, it } from "vitest";
import { newStreamKey } from "#ports/sessions/stream-key.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import { beginRequest, KEY, LEASE_MS, started } from "#test/contract/sessions/session-world.ts";
import { startRunner } from "#test/helpers/security/granted-runner.ts";
import { verifies } from "#test/helpers/verifies.ts";

/** A scope of a run that no gateway has asked this runner for. */
const upkeep = () => ({ credentials: {} });

describe("a runner", () => {
  it("gets the key of a run's stream when it executes the run, and in no other way", async () => {
    verifies("platform:redis:stream-keys:record");
    await using world = await startRunner();
    const { runner, stores, clock } = world;
    const [ofFirst, ofSecond] = [newStreamKey(), newStreamKey()];
    const { lease } = await started(stores.sessions, "first", { holder: "runner 2", streamKey: ofFirst });
    await stores.sessions.begin(beginRequest("second", { streamKey: ofSecond }));
    const seen: unknown[] = [];
    const list = async () =>
      inCallScope(upkeep(), async () => seen.push(await runner.journal.listAbandoned({ minAgeMs: 0, limit: 10 })));
    await inCallScope(upkeep(), async () => {
      seen.push(await runner.journal.begin(beginRequest("first")));
      seen.push(await runner.journal.get("second"));
      seen.push(await runner.journal.begin(beginRequest("second")));
      // With the grant of the run that waits.
      seen.push(await runner.journal.begin(beginRequest("second")), await runner.journal.get("second"));
      await stores.sessions.finish({ lease, afterRevision: 0, events: [], status: "succeeded" });
      await list();
      await started(stores.sessions, "second", { holder: "runner 2" });
      seen.push(await runner.journal.begin(beginRequest("second")), await runner.journal.get("second"));
    });
    const { appName, userId } = KEY;
    const toCancel = { principal: world.sign({ tenantId: "default", appName, userId, runId: "second", scopes: [] }) };
    await inCallScope({ credentials: toCancel }, async () => {
      seen.push(await runner.journal.cancel("second"));
    });
    clock.advance(LEASE_MS);
    await list();
    expect(JSON.stringify(seen).split('"runId":"second"').length).toBeGreaterThan(8);
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${ofFirst}|${ofSecond}`));
    const { run } = await inCallScope(upkeep(), () => started(runner.journal, "second"));
    expect(run.streamKey).toBe(ofSecond);
    const { runs } = await stores.sessions.list({});
    expect(runs.map(({ streamKey }) => streamKey)).toEqual([ofSecond, ofFirst]);
  });
});
