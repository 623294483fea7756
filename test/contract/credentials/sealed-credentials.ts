import { expect, it } from "vitest";
import type { CredentialOwner, CredentialService } from "#kit/credentials/credential-service.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import type { CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import {
  resealCredentials,
  type SealedCredential,
  sealedCredentialsOf,
} from "#ports/credentials/sealed-credentials.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";
import { createTenantKeys } from "#test/helpers/security/tenant-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ADA, token } from "./credential-service.ts";

type Service = CredentialService & CredentialDirectory;

/** What a store keeps, opened with several keys one after the other. */
export interface SealedCredentialsContract {
  /** Creates an empty place of records. */
  readonly create: () => Promise<SealedRecords>;
}

export interface SealedRecords {
  /** Opens the records anew. */
  readonly open: (sealer: CredentialSealer) => Promise<Service & Partial<AsyncDisposable>>;
  /** All bytes that the store keeps, as one text of single bytes. */
  readonly bytes: () => Promise<string>;
  /** Copies what seals the first record over that of the second, with its version. */
  readonly swap: (from: readonly [CredentialOwner, string], to: readonly [CredentialOwner, string]) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

const SECRET = "the-planted-secret";
const UNREADABLE = { reason: "CREDENTIAL_UNREADABLE" };

/** The forms in which bytes could show the secret: in plain, in base64 at each offset, and in hex. */
export function formsOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(" ".repeat(offset) + secret).toString("base64url");
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [secret, ...base64, Buffer.from(secret).toString("hex"), Buffer.from(secret, "utf16le").toString("latin1")];
}

export function sealedCredentialsContract({ create }: SealedCredentialsContract): void {
  const withRecords = (test: (records: SealedRecords) => Promise<void>) => async () => {
    const records = await create();
    try {
      await test(records);
    } finally {
      await records.dispose();
    }
  };
  /** Opens the records for one piece of work. */
  const using = async <Result>(
    { open }: SealedRecords,
    sealer: CredentialSealer,
    work: (service: Service) => Promise<Result>,
  ): Promise<Result> => {
    const service = await open(sealer);
    try {
      return await work(service);
    } finally {
      await service[Symbol.asyncDispose]?.();
    }
  };

  it(
    "keep no byte of a secret, also after changes and a deletion",
    withRecords(async (records) => {
      verifies("platform:credentials:sealed");
      await using(records, sealerWith(keysNamed("one")), async (service) => {
        await service.saveCredential(ADA, "key", token(`${SECRET} 1`));
        await service.saveCredential(ADA, "key", token(`${SECRET} 2`));
        await service.saveCredential(ADA, "other", { authType: "apiKey", apiKey: SECRET });
        await service.deleteCredential(ADA, "other");
        // While it is open: what is still in a log counts too.
        const bytes = await records.bytes();
        expect(bytes).toContain("flc1.one.");
        for (const form of formsOf(SECRET)) expect(bytes).not.toContain(form);
      });
      const bytes = await records.bytes();
      expect(bytes).toContain("flc1.one.");
      for (const form of formsOf(SECRET)) expect(bytes).not.toContain(form);
    }),
  );

  it(
    "are refused at the place of another user, app, tenant or key",
    withRecords(async (records) => {
      verifies("platform:credentials:sealed");
      const others: readonly (readonly [CredentialOwner, string])[] = [
        [{ ...ADA, userId: "eve" }, "key"],
        [{ ...ADA, appName: "other" }, "key"],
        [{ ...ADA, tenantId: "acme" }, "key"],
        [ADA, "another"],
      ];
      await using(records, sealerWith(keysNamed("one")), async (service) => {
        await service.saveCredential(ADA, "key", token(SECRET));
        for (const [owner, key] of others) await service.saveCredential(owner, key, token("own"));
      });
      for (const other of others) await records.swap([ADA, "key"], other);
      await using(records, sealerWith(keysNamed("one")), async (service) => {
        for (const [owner, key] of others)
          await expect(service.loadCredential(owner, key)).rejects.toMatchObject(UNREADABLE);
        expect((await service.loadCredential(ADA, "key"))?.credential).toEqual(token(SECRET));
      });
    }),
  );

  it(
    "are read with a former key, and sealed with the current one when they are saved or loaded",
    withRecords(async (records) => {
      verifies("platform:credentials:rotation");
      await using(records, sealerWith(keysNamed("old")), async (service) => {
        await service.saveCredential(ADA, "changed", token("1"));
        for (const key of ["loaded", "unused"]) await service.saveCredential(ADA, key, token("1"));
      });
      const versions = new Set<number | undefined>();
      await using(records, sealerWith(keysNamed("new", "old")), async (service) => {
        const { version } = (await service.loadCredential(ADA, "changed")) ?? {};
        expect(await service.saveCredential(ADA, "changed", token("2"), version)).toBeGreaterThan(0);
        for (let load = 0; load < 2; load += 1) {
          const loaded = await service.loadCredential(ADA, "loaded");
          expect(loaded?.credential).toEqual(token("1"));
          versions.add(loaded?.version);
        }
      });
      await using(records, sealerWith(keysNamed("new")), async (service) => {
        expect((await service.loadCredential(ADA, "changed"))?.credential).toEqual(token("2"));
        const loaded = await service.loadCredential(ADA, "loaded");
        expect([loaded?.credential, versions]).toEqual([token("1"), new Set([loaded?.version])]);
        await expect(service.loadCredential(ADA, "unused")).rejects.toMatchObject({
          reason: "CREDENTIAL_KEY_UNAVAILABLE",
          details: { keyName: "old" },
        });
      });
    }),
  );

  it(
    "of all users are sealed with the current key together, without a change of their versions",
    withRecords(async (records) => {
      verifies("platform:credentials:resealed");
      const owners = [ADA, { ...ADA, userId: "a/b" }, { tenantId: "acme", appName: "App/2", userId: "日本" }];
      const versions: unknown[] = [];
      await using(records, sealerWith(keysNamed("lost")), (service) => service.saveCredential(ADA, "a", token("0")));
      await using(records, sealerWith(keysNamed("old")), async (service) => {
        for (const owner of owners)
          for (const key of ["one", "adk_consent"]) versions.push(await service.saveCredential(owner, key, token(key)));
      });
      await using(records, sealerWith(keysNamed("new", "old")), async (service) => {
        await service.saveCredential(ADA, "fresh", token("3"));
        const sealed = sealedCredentialsOf(service);
        if (sealed === undefined) throw new Error("The store lists nothing that is sealed.");
        // In pages of two, each credential once.
        const found: string[] = [];
        for (let after: SealedCredential | undefined; ; ) {
          const page = await sealed.listSealed({ after, limit: 2 });
          found.push(...page.map(({ owner, credentialKey }) => JSON.stringify([owner, credentialKey])));
          after = page.at(-1);
          if (after === undefined) break;
        }
        expect([found.length, new Set(found).size]).toEqual([8, 8]);
        const report = await resealCredentials(service, sealed);
        const owner = { ...ADA, tenantId: "default" };
        const lost = { owner, credentialKey: "a", keyName: "lost", isCurrent: false };
        const left = [{ credential: lost, problem: "CREDENTIAL_KEY_UNAVAILABLE" }];
        expect(report).toEqual({ count: 8, resealed: 6, left });
        expect(await resealCredentials(service, sealed)).toEqual({ count: 8, resealed: 0, left });
      });
      await using(records, sealerWith(keysNamed("new")), async (service) => {
        const loaded = await Promise.all(
          owners.flatMap((owner) => ["one", "adk_consent"].map((key) => service.loadCredential(owner, key))),
        );
        expect(loaded.map((each) => each?.version)).toEqual(versions);
      });
    }),
  );

  it(
    "without their key are listed, replaced and deleted",
    withRecords(async (records) => {
      verifies("platform:credentials:rotation");
      await using(records, sealerWith(keysNamed("lost")), async (service) => {
        for (const key of ["deleted", "replaced"]) await service.saveCredential(ADA, key, token("1"));
      });
      await using(records, sealerWith(keysNamed("new")), async (service) => {
        expect(await service.listCredentials(ADA)).toHaveLength(2);
        await service.saveCredential(ADA, "replaced", token("2"));
        await service.deleteCredential(ADA, "deleted");
        expect((await service.loadCredential(ADA, "replaced"))?.credential).toEqual(token("2"));
        expect(await service.loadCredential(ADA, "deleted")).toBeUndefined();
      });
    }),
  );

  it(
    "of a tenant with a content key are unreadable without it",
    withRecords(async (records) => {
      verifies("platform:credentials:tenant-key");
      const world = createTenantKeys();
      const acme = { ...ADA, tenantId: "acme" };
      const open = async () => {
        const encryption = world.start();
        const service = await records.open(sealerWith(keysNamed("one"), encryption.sealer));
        return { service: encryption.withKeys<Service>(service), close: () => service[Symbol.asyncDispose]?.() };
      };
      const first = await open();
      await first.service.saveCredential(acme, "key", token("1"));
      expect((await first.service.loadCredential(acme, "key"))?.credential).toEqual(token("1"));
      await first.close();
      world.keys.delete("acme");
      const second = await open();
      await expect(second.service.loadCredential(acme, "key")).rejects.toMatchObject({
        reason: "CONTENT_KEY_UNAVAILABLE",
        details: { tenantId: "acme" },
      });
      await second.close();
    }),
  );
}
