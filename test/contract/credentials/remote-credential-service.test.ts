import { describe } from "vitest";
import { RemoteCredentialService } from "#adapters/grpc/remote-credential-service.ts";
import { SqliteRowTable } from "#adapters/sqlite/sqlite-row-table.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { TabularCredentialService } from "#ports/credentials/tabular-credential-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createSessionServer } from "#services/session/server.ts";
import { keysNamed, sealerWith } from "#test/helpers/security/credential-keys.ts";
import { overLoopback } from "#test/helpers/servers/loopback.ts";
import {
  CONTRACT_TIME_MS,
  credentialLimitContract,
  credentialServiceContract,
  MAX_PER_USER,
} from "./credential-service.ts";

type Store = CredentialService & CredentialDirectory & Partial<AsyncDisposable>;

describe.each<[string, (clock: FixedClock) => Store]>([
  ["InMemoryCredentialService", (clock) => new InMemoryCredentialService({ clock, maxPerUser: MAX_PER_USER })],
  [
    "TabularCredentialService over rows in SQLite",
    (clock) => {
      const table = new SqliteRowTable(":memory:");
      const sealer = sealerWith(keysNamed("one"));
      const store = new TabularCredentialService({ table, clock, sealer, maxPerUser: MAX_PER_USER });
      return Object.assign(store, { [Symbol.asyncDispose]: async () => table[Symbol.dispose]() });
    },
  ],
])("RemoteCredentialService in front of %s", (_, open) => {
  const create = async () => {
    const clock = new FixedClock(CONTRACT_TIME_MS);
    const store = open(clock);
    const sessions = new InMemorySessionStore({ clock, ids: new SequentialIds() });
    const deps = { sessions, journal: sessions, userCredentials: store, logger: silentLogger };
    const { port, dispose } = await overLoopback(
      createSessionServer(deps),
      (options) => new RemoteCredentialService(options),
    );
    const disposeAll = async (): Promise<void> => {
      await dispose();
      await store[Symbol.asyncDispose]?.();
    };
    return { service: port, clock, dispose: disposeAll };
  };
  credentialServiceContract({ create });
  credentialLimitContract({ create });
});
