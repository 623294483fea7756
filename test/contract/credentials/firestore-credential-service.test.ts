import { describe, expect, it } from "vitest";
import type {
  CollectionQuery,
  FirestoreCall,
  StoredDocument,
} from "#adapters/firestore/database/firestore-database.ts";
import { FirestoreCredentialService } from "#adapters/firestore/firestore-credential-service.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import {
  CONTRACT_TIME_MS,
  credentialLimitContract,
  credentialServiceContract,
  MAX_PER_USER,
} from "./credential-service.ts";
import { sealedCredentialsContract } from "./sealed-credentials.ts";

/** All credentials of the database, whosever they are. */
const ALL: CollectionQuery = { parent: "", collection: "credentials", allDescendants: true };

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreCredentialService", { timeout: 60_000 }, () => {
  const { newProject, openDatabase } = useFirestore();

  const create = async () => {
    verifies("platform:firestore:credentials");
    const database = openDatabase();
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const service = new FirestoreCredentialService({
      database,
      clock,
      sealer: sealerWith(keysNamed("one")),
      maxPerUser: MAX_PER_USER,
    });
    return { service, clock, dispose: () => database[Symbol.asyncDispose]() };
  };
  credentialServiceContract({ create });
  credentialLimitContract({ create });

  it("reads no more names than there may be for a new credential, and a long list in pages", async () => {
    verifies("platform:credentials:limit");
    const queries: CollectionQuery[] = [];
    const observeCall = ({ query }: FirestoreCall) => query && queries.push(query);
    await using database = openDatabase({ projectId: newProject(), observeCall });
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const sealer = sealerWith(keysNamed("one"));
    const service = new FirestoreCredentialService({ database, clock, sealer });
    const owner = { appName: "app", userId: "ada" };
    const credential = { authType: "apiKey", apiKey: "k" } as const;
    await service.saveCredential(owner, "first", credential);
    const [first] = await database.query(ALL);
    if (first === undefined) throw new Error("Nothing was saved.");
    const folder = first.path.slice(0, first.path.lastIndexOf("/"));
    const creations = Array.from({ length: 1000 }, (_, number) => ({
      ...({ kind: "create", path: `${folder}/${number}` } as const),
      fields: { ...first.fields, credentialKey: `key${number}` },
    }));
    for (let at = 0; at < creations.length; at += 500) await database.commit(creations.slice(at, at + 500));
    queries.length = 0;
    expect(new Set((await service.listCredentials(owner)).map(({ credentialKey }) => credentialKey)).size).toBe(1001);
    expect(await service.listCredentials({ userId: "ada", appName: "other" })).toEqual([]);
    expect(queries.map(({ limit }) => limit)).toEqual([500, 500, 500, 500]);
    await expect(service.saveCredential(owner, "further", credential)).rejects.toMatchObject({
      reason: "TOO_MANY_CREDENTIALS",
    });
    expect(queries.at(-1)).toMatchObject({ limit: 3000, select: ["credentialKey"] });
  });

  describe("and its sealed documents", () => {
    sealedCredentialsContract({
      create: async () => {
        const database = openDatabase({ projectId: newProject() });
        const clock = new FixedClock(CONTRACT_TIME_MS);
        const find = async ([owner, key]: readonly [CredentialOwner, string]): Promise<StoredDocument> => {
          const documents = await database.query(ALL);
          const found = documents.find(({ path, fields }) => isAt(path, owner) && isNamed(fields, owner, key));
          if (found === undefined) throw new Error("There is no such credential.");
          return found;
        };
        return {
          open: async (sealer) => new FirestoreCredentialService({ database, clock, sealer }),
          bytes: async () => JSON.stringify(await database.query(ALL)),
          swap: async (from, to) => {
            const { fields } = await find(from);
            const { path } = await find(to);
            const { version, sealed } = fields;
            const mask = ["version", "sealed"];
            await database.commit([{ kind: "update", path, fields: { version, sealed }, mask }]);
          },
          dispose: () => database[Symbol.asyncDispose](),
        };
      },
    });
  });
});

function isAt(path: string, owner: CredentialOwner): boolean {
  const tenant = tenantOf(owner);
  return path.includes(`/users/${owner.userId}/`) && path.includes("/tenants/") === (tenant !== "default");
}

function isNamed(fields: StoredDocument["fields"], owner: CredentialOwner, key: string): boolean {
  return fields["appName"] === owner.appName && fields["credentialKey"] === key;
}
