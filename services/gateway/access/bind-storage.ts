import type { StorageReader } from "#kit/storage/storage-limits.ts";
import { currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";

/**
 * The counts of a store over gRPC, for a gateway that signs principals. They are of all apps, so the principal of a read
 * is not limited to the app of the request; which counts a caller may read is decided by the route.
 */
export function bindStorage(reader: StorageReader): StorageReader {
  return {
    readStorage: async (counts) => {
      const scope = currentCallScope();
      const read = () => reader.readStorage(counts);
      return scope?.principal === undefined
        ? read()
        : inCallScope({ ...scope, principal: ofAllApps(scope.principal) }, read);
    },
  };
}

function ofAllApps({ appName: _appName, mayUse: _mayUse, ...principal }: Principal): Principal {
  return principal;
}
