import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { TabularCredentialService } from "#ports/credentials/tabular-credential-service.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import { ROW_TABLES } from "#test/helpers/rows/row-tables.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";
import { verifies } from "#test/helpers/verifies.ts";
import {
  ADA,
  CONTRACT_TIME_MS,
  credentialLimitContract,
  credentialServiceContract,
  MAX_PER_USER,
  token,
} from "./credential-service.ts";
import { sealedCredentialsContract } from "./sealed-credentials.ts";

describe.each(ROW_TABLES)("TabularCredentialService over %s", (_, openTable) => {
  const create = async () => {
    const { table, dispose } = await openTable();
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const sealer = sealerWith(keysNamed("one"));
    return {
      service: new TabularCredentialService({ table, clock, sealer, maxPerUser: MAX_PER_USER }),
      clock,
      dispose,
    };
  };
  credentialServiceContract({ create });
  credentialLimitContract({ create });

  it("keeps no more credentials than the limit of those that are saved at the same time", async () => {
    verifies("platform:credentials:limit");
    const { service, dispose } = await create();
    const names = Array.from({ length: MAX_PER_USER + 8 }, (_, index) => `key${index}`);
    const saved = await Promise.allSettled(names.map((name) => service.saveCredential(ADA, name, token("t"))));
    expect(saved.filter(({ status }) => status === "fulfilled")).toHaveLength(MAX_PER_USER);
    expect(await service.listCredentials(ADA)).toHaveLength(MAX_PER_USER);
    expect(await service.deleteData({ tenantId: "default", limit: 99 })).toEqual({
      deleted: MAX_PER_USER,
      isDone: true,
    });
    await dispose();
  });

  describe("and its sealed rows", () => {
    sealedCredentialsContract({
      create: async () => {
        const { table, dispose } = await openTable();
        return {
          open: async (sealer) => new TabularCredentialService({ table, clock: new FixedClock(), sealer }),
          bytes: async () => JSON.stringify(await table.list({ prefix: "", limit: 100 })),
          swap: (from, to) => swapRows(table, from, to),
          dispose,
        };
      },
    });
  });
});

describe("credentials sealed in a SQLite file", () => {
  sealedCredentialsContract({
    create: async () => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-credentials-"));
      const openTable = () => new SqliteRowTable(join(folder, "credentials.sqlite"));
      return {
        open: async (sealer) => {
          const table = openTable();
          const service = new TabularCredentialService({ table, clock: new FixedClock(), sealer });
          return Object.assign(service, { [Symbol.asyncDispose]: async () => table[Symbol.dispose]() });
        },
        bytes: async () => {
          const names = await readdir(folder);
          return (await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")))).join("\n");
        },
        swap: async (from, to) => {
          using table = openTable();
          await swapRows(table, from, to);
        },
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  });
});

type Name = readonly [CredentialOwner, string];

async function swapRows(table: RowTable, ...names: readonly [from: Name, to: Name]): Promise<void> {
  const { rows } = await table.list({ prefix: "user/", limit: 100 });
  const [from, to] = names.map(([{ tenantId = "default", appName, userId }, credentialKey]) => {
    const name = expect.objectContaining({ tenantId, appName, userId, credentialKey });
    return rows.find(({ value }) => name.asymmetricMatch(value)) ?? expect.unreachable();
  });
  const { version = 0, text = "" } = from?.value ?? {};
  expect(await table.commit([{ key: to?.key ?? "", value: { ...to?.value, version, text } }])).toBe(true);
}
