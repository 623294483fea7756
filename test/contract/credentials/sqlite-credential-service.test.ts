import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe } from "vitest";
import { SqliteCredentialService } from "#adapters/sqlite/sqlite-credential-service.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";
import {
  CONTRACT_TIME_MS,
  credentialLimitContract,
  credentialServiceContract,
  MAX_PER_USER,
} from "./credential-service.ts";
import { sealedCredentialsContract } from "./sealed-credentials.ts";

describe("SqliteCredentialService", () => {
  const create = async () => {
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const service = new SqliteCredentialService({
      path: ":memory:",
      clock,
      sealer: sealerWith(keysNamed("one")),
      maxPerUser: MAX_PER_USER,
    });
    return { service, clock, dispose: () => service[Symbol.asyncDispose]() };
  };
  credentialServiceContract({ create });
  credentialLimitContract({ create });
});

describe("credentials sealed in a SQLite file", () => {
  sealedCredentialsContract({
    create: async () => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-credentials-"));
      const path = join(folder, "credentials.sqlite");
      const clock = new FixedClock(CONTRACT_TIME_MS);
      return {
        open: async (sealer) => new SqliteCredentialService({ path, clock, sealer }),
        bytes: async () => {
          const names = await readdir(folder);
          return (await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")))).join("\n");
        },
        swap: async (from, to) => {
          using database = new DatabaseSync(path);
          const name = "tenant_id = ? AND user_id = ? AND app_name = ? AND credential_key = ?";
          const { version = 0, sealed = "" } =
            database.prepare(`SELECT version, sealed FROM credential WHERE ${name}`).get(...valuesOf(from)) ?? {};
          database
            .prepare(`UPDATE credential SET version = ?, sealed = ? WHERE ${name}`)
            .run(version, sealed, ...valuesOf(to));
        },
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  });
});

function valuesOf([owner, key]: readonly [CredentialOwner, string]): readonly string[] {
  return [tenantOf(owner), owner.userId, owner.appName, key];
}
