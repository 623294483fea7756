import type { StorageReaders } from "#shared/quota/stored-limits.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";

/**
 * The counts of stores over gRPC, for a gateway that signs principals. They are of all apps, so the principal of a read
 * is not limited to the app of the request; which counts a caller may read is decided by the route.
 */
export function bindStorage({ sessions, artifacts, memory, evaluations }: Required<StorageReaders>): StorageReaders {
  return {
    sessions: sessions && { readStorage: (counts) => unlimited(() => sessions.readStorage(counts)) },
    artifacts: artifacts && { readStored: (counts) => unlimited(() => artifacts.readStored(counts)) },
    memory: memory && { readStored: (counts) => unlimited(() => memory.readStored(counts)) },
    evaluations: evaluations && { readStored: (counts) => unlimited(() => evaluations.readStored(counts)) },
  };
}

function unlimited<Result>(read: () => Promise<Result>): Promise<Result> {
  const scope = currentCallScope();
  if (scope?.principal === undefined) return read();
  return inCallScope({ ...scope, principal: ofAllApps(scope.principal) }, read);
}

function ofAllApps({ appName: _appName, mayUse: _mayUse, ...principal }: Principal): Principal {
  return principal;
}
