import { describe, expect, it } from "vitest";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunStream, RunStreamEntry } from "#ports/runs/run-stream.ts";
import { end, event, type RunStreamContract, readAll } from "./run-stream.ts";

const SESSION: SessionKey = { appName: "app", userId: "user", id: "session" };
const ACME: SessionKey = { tenantId: "acme", ...SESSION };

async function readAllOf(stream: RunStream, tenantId: string, runId: string): Promise<readonly RunStreamEntry[]> {
  const entries: RunStreamEntry[] = [];
  for await (const batch of stream.subscribe(runId, { tenantId, signal: new AbortController().signal }))
    entries.push(...batch);
  return entries;
}

/**
 * Runs of two tenants with one id, and sessions of two tenants with the same names, have nothing in common. Neither have a
 * run's key and its id.
 */
export function runStreamTenantsContract({ create }: RunStreamContract): void {
  describe("streams of two tenants", () => {
    it("are separate for runs with one id, whichever is expected, published or read first", async () => {
      const { service: stream, dispose } = await create();
      const ofAcme = { ...event(1), json: '{"of":"acme"}' };
      using _ofDefault = stream.expect?.("r");
      using _ofAcme = stream.expect?.("r", { tenantId: "acme" });
      const early = readAllOf(stream, "acme", "r");
      await stream.publish("r", [event(1), end(2)]);
      await stream.publish("r", [ofAcme, end(2)], { tenantId: "acme" });
      expect(await early).toEqual([ofAcme, end(2)]);
      expect(await readAllOf(stream, "acme", "r")).toEqual([ofAcme, end(2)]);
      expect(await readAllOf(stream, "default", "r")).toEqual([event(1), end(2)]);
      expect(await readAll(stream, "r")).toEqual([event(1), end(2)]);
      await dispose();
    });

    it("notify the watchers of their own session only", async () => {
      const { service: stream, dispose } = await create();
      const calls = { ofDefault: 0, ofAcme: 0 };
      using _ofDefault = stream.watch(SESSION, () => {
        calls.ofDefault += 1;
      });
      using _ofAcme = stream.watch(ACME, () => {
        calls.ofAcme += 1;
      });
      const announced = (session: SessionKey, count: () => number) => () => {
        stream.announce(session);
        return count();
      };
      // Nothing is received before the watch has begun.
      await expect.poll(announced(ACME, () => calls.ofAcme)).toBeGreaterThanOrEqual(1);
      for (let count = 0; count < 20; count += 1) stream.announce(ACME);
      await expect.poll(() => calls.ofAcme).toBeGreaterThanOrEqual(20);
      await stream.publish("r", [event(1)], { session: SESSION });
      await expect.poll(() => calls.ofDefault).toBeGreaterThanOrEqual(1);
      // One for its own run, and one that may report that the watch has begun.
      expect(calls.ofDefault).toBeLessThanOrEqual(2);
      await dispose();
    });
  });

  describe("a stream that makes keys", () => {
    it("has the entries of a run for those who have its key, and not for those who have only its id", async () => {
      const { service: stream, dispose } = await create();
      const streamKey = stream.newKey?.();
      const { signal } = new AbortController();
      using _expected = stream.expect?.("r", { streamKey });
      const ofKey = Array.fromAsync(stream.subscribe("r", { streamKey, signal }));
      const other = [event(1, 9), end(2, 9)];
      if (streamKey !== undefined) {
        await stream.publish("r", other);
        expect(await readAll(stream, "r")).toEqual(other);
      }
      await stream.publish("r", [event(1), end(2)], { streamKey });
      expect((await ofKey).flat()).toEqual([event(1), end(2)]);
      const again = await Array.fromAsync(stream.subscribe("r", { streamKey, after: "1.1", signal }));
      expect(again.flat()).toEqual([end(2)]);
      await dispose();
    });
  });
}
