import { describe } from "vitest";
import type { CollectionQuery, StoredDocument } from "#adapters/firestore/database/firestore-database.ts";
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

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreCredentialService", { timeout: 30_000 }, () => {
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
