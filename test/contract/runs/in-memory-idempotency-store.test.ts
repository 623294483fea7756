import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { IDEMPOTENCY_CLAIM_MS, IDEMPOTENCY_TTL_MS } from "#ports/idempotency/idempotency-store.ts";
import { InMemoryIdempotencyStore } from "#ports/idempotency/in-memory-idempotency-store.ts";
import { idempotencyStoreContract } from "./idempotency-store.ts";

describe("InMemoryIdempotencyStore", () => {
  idempotencyStoreContract({
    create: async () => ({
      service: new InMemoryIdempotencyStore({ clock: new FixedClock() }),
      dispose: async () => {},
    }),
  });

  it("forgets a claim that was never completed, and a completed one after a day", async () => {
    const clock = new FixedClock();
    const store = new InMemoryIdempotencyStore({ clock });
    await store.claim("lost", "print");
    await store.claim("done", "print");
    await store.complete("done", { fingerprint: "print", answer: "1" });
    clock.advance(IDEMPOTENCY_CLAIM_MS);
    expect(await store.claim("lost", "print")).toBeUndefined();
    expect(await store.claim("done", "print")).toEqual({ fingerprint: "print", answer: "1", isDone: true });
    clock.advance(IDEMPOTENCY_TTL_MS - IDEMPOTENCY_CLAIM_MS);
    expect(await store.claim("done", "print")).toBeUndefined();
  });

  it("forgets the oldest when it is full", async () => {
    const store = new InMemoryIdempotencyStore({ clock: new FixedClock(), maxCharacters: 1000 });
    for (const key of ["a", "b", "c"]) {
      await store.claim(key, "print");
      await store.complete(key, { fingerprint: "print", answer: "x".repeat(200) });
    }
    const known = { fingerprint: "print", answer: "x".repeat(200), isDone: true };
    expect([await store.claim("c", "print"), await store.claim("b", "print")]).toEqual([known, known]);
    expect(await store.claim("a", "print")).toBeUndefined();
  });
});
