import { expect, it } from "vitest";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { beginSignIn, endSignIn, newState } from "./consent-secret.ts";

const owner = { appName: "app", userId: "ada" };

it("gives each sign-in of a user its own secrets, the same at its end", async () => {
  const service = new InMemoryCredentialService();
  const [one, other] = [newState(), newState()];
  expect(one).not.toBe(other);
  const begun = await beginSignIn({ owner, service }, one);
  expect(begun.codeVerifier).toMatch(/^[\w-]{43}$/);
  expect(begun.nonce).not.toBe(begun.codeVerifier);
  expect(await endSignIn({ owner, service }, one)).toEqual(begun);
  const second = await beginSignIn({ owner, service }, other);
  expect([second.codeVerifier === begun.codeVerifier, second.nonce === begun.nonce]).toEqual([false, false]);
  for (const foreign of [
    { ...owner, userId: "eve" },
    { ...owner, tenantId: "acme" },
  ])
    expect(await endSignIn({ owner: foreign, service }, one)).toBeUndefined();
});

it("uses the secret that another run has made at the same time", async () => {
  const service = new InMemoryCredentialService();
  const { promise: both, resolve: meet } = Promise.withResolvers<void>();
  let loads = 0;
  const racing = {
    loadCredential: async (...given: Parameters<typeof service.loadCredential>) => {
      const known = await service.loadCredential(...given);
      loads += 1;
      if (loads === 2) meet();
      await both;
      return known;
    },
    saveCredential: service.saveCredential.bind(service),
    deleteCredential: service.deleteCredential.bind(service),
  };
  const [one, other] = await Promise.all(
    ["one", "other"].map((state) => beginSignIn({ owner, service: racing }, state)),
  );
  expect(await endSignIn({ owner, service }, "one")).toEqual(one);
  expect(await endSignIn({ owner, service }, "other")).toEqual(other);
});
