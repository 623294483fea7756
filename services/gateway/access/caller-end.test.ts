import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { setCaller } from "../identity/authenticator.ts";
import { type Caller, EVERYBODY } from "../identity/caller.ts";
import type { ManagedKeys } from "../identity/identity.ts";
import { identityUnavailable, invalidCredentials } from "../identity/refusals.ts";
import { whenCallerEnds } from "./caller-end.ts";

const MINUTE_MS = 60_000;

/** A long answer to the caller, whose key the function looks up. `destroyed` after the client has left. */
function answerTo(caller: Partial<Caller>, lookUp: ManagedKeys["callerOfId"], destroyed = false) {
  const work = vi.fn();
  const raw = Object.assign(new EventEmitter(), { destroyed });
  const request = { raw: {} } as FastifyReply["request"];
  setCaller(request, { ...EVERYBODY, ...caller });
  // The function uses these two members only, and of the answer `close` and `destroyed` only.
  const reply = { request, raw } as unknown as FastifyReply;
  const apiKeys = { callerOfId: vi.fn(lookUp) };
  whenCallerEnds(reply, { clock: new FixedClock(), apiKeys: apiKeys as unknown as ManagedKeys }, work);
  return { work, raw, lookUps: apiKeys.callerOfId };
}

const KEY = { source: "api-key", keyId: "k1" } as const;

describe("end of the credentials of a long answer's caller", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["revoked", () => Promise.reject(invalidCredentials("The API key is revoked."))],
    ["absent", () => Promise.resolve(undefined)],
  ])("is reported within a minute for a key that is %s", async (_, lookUp) => {
    verifies("authentication:expiry");
    const { work, lookUps } = answerTo(KEY, lookUp);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(work).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect([work.mock.calls.length, lookUps.mock.calls.length]).toEqual([1, 1]);
  });

  it.each([
    ["is valid", () => Promise.resolve(EVERYBODY)],
    ["cannot be checked", () => Promise.reject(identityUnavailable("Not now.", 1))],
    ["cannot be checked for an unknown reason", () => Promise.reject(new PlatformError("INTERNAL", "It failed."))],
  ])("is not reported while a key %s", async (_, lookUp) => {
    const { work, raw, lookUps } = answerTo(KEY, lookUp);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect([work.mock.calls.length, lookUps.mock.calls.length]).toEqual([0, 2]);
    raw.emit("close");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is reported once for a key that expires and is then revoked", async () => {
    const expiresAtMs = new FixedClock().now() + 1000;
    const { work } = answerTo({ ...KEY, expiresAtMs }, () => Promise.resolve(undefined));
    await vi.advanceTimersByTimeAsync(999);
    expect(work).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(work).toHaveBeenCalledOnce();
  });

  it("is not waited for after the client has left", () => {
    const expiresAtMs = new FixedClock().now() + 1000;
    answerTo({ ...KEY, expiresAtMs }, () => Promise.resolve(EVERYBODY), true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never comes for a caller without an expiry and without a key", () => {
    const { work } = answerTo({}, () => Promise.resolve(undefined));
    expect([vi.getTimerCount(), work.mock.calls.length]).toEqual([0, 0]);
  });
});
