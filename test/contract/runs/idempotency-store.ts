import { describe, expect, it } from "vitest";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";

export interface IdempotencyStoreContract {
  /** Creates a separate store for each call. */
  readonly create: () => Promise<{ readonly service: IdempotencyStore; readonly dispose: () => Promise<void> }>;
}

export function idempotencyStoreContract({ create }: IdempotencyStoreContract): void {
  const withStore = (test: (store: IdempotencyStore) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };

  describe("a key", () => {
    it(
      "is claimed by one of many, and shows the others what holds it",
      withStore(async (store) => {
        const claims = await Promise.all(Array.from({ length: 10 }, () => store.claim("k", "print")));
        expect(claims.filter((claim) => claim === undefined)).toHaveLength(1);
        expect(claims.filter((claim) => claim !== undefined)).toEqual(
          Array.from({ length: 9 }, () => ({ fingerprint: "print", isDone: false })),
        );
      }),
    );

    it(
      "gives the answer of the call that was completed, and its fingerprint to another request",
      withStore(async (store) => {
        await store.claim("k", "print");
        await store.complete("k", { fingerprint: "print", answer: '{"ü":"\\n"}' });
        const known = { fingerprint: "print", answer: '{"ü":"\\n"}', isDone: true };
        expect([await store.claim("k", "print"), await store.claim("k", "other")]).toEqual([known, known]);
      }),
    );

    it(
      "may be claimed again once it was released",
      withStore(async (store) => {
        await store.claim("k", "print");
        await store.release("k");
        expect(await store.claim("k", "other")).toBeUndefined();
      }),
    );

    it(
      "stands by itself",
      withStore(async (store) => {
        await store.claim("k", "print");
        expect(await store.claim("l", "print")).toBeUndefined();
      }),
    );

    it(
      "is another one in each tenant",
      withStore(async (store) => {
        await store.claim("k", "print");
        expect(await store.claim("k", "of acme", "acme")).toBeUndefined();
        await store.complete("k", { fingerprint: "of acme", answer: "secret" }, "acme");
        expect(await store.claim("k", "print", "default")).toEqual({ fingerprint: "print", isDone: false });
        await store.release("k");
        const known = { fingerprint: "of acme", answer: "secret", isDone: true };
        expect(await store.claim("k", "of acme", "acme")).toEqual(known);
        await store.release("k", "acme");
        expect(await store.claim("k", "again", "acme")).toBeUndefined();
      }),
    );
  });
}
