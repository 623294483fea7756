import { join } from "node:path";
import { USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { toOldVersion } from "#ports/artifacts/old-artifacts.ts";
import { isAfter } from "#ports/tenants/data-pages.ts";
import { type ListOldRequest, type OldItem, type OldPage, oldPage, oldRange } from "#ports/tenants/old-data.ts";
import { artifactName, storedNumbers } from "./artifact-folder.ts";
import { listNames, writtenAt } from "./durable-files.ts";
import { namesOfScope, userFolders } from "./owned-artifacts.ts";
import { tenantsIn } from "./tenant-folder.ts";

/** A page with old versions from all tenants, sorted by their folders. Reads no file's content. */
export async function oldArtifacts(root: string, request: ListOldRequest): Promise<OldPage> {
  const { limit, after } = oldRange(request);
  const items: OldItem[] = [];
  let count = 0;
  for await (const { place, item } of agedVersions(root, after)) {
    if (item !== undefined) items.push(item);
    count += 1;
    if (count >= limit) return oldPage(request, items, place);
  }
  return oldPage(request, items, undefined);
}

interface AgedFile {
  readonly place: readonly string[];
  /** Undefined for large data of messages, and for a version that was deleted meanwhile. */
  readonly item: OldItem | undefined;
}

/** Leaves out folders whose names are too long to be restored: they go with their session or user. */
async function* agedVersions(
  root: string,
  after: readonly string[] | undefined,
): AsyncGenerator<AgedFile, void, undefined> {
  for (const tenantId of (await tenantsIn(root)).toSorted()) {
    // Places that end before the given one are not listed again.
    if (tenantId < (after?.[0] ?? "")) continue;
    for await (const { path, app, user } of userFolders(root, { tenantId })) {
      if (!isAfter([tenantId, app, user, LAST], after)) continue;
      const sessions = (await listNames(join(path, "s"))).toSorted();
      for (const scope of [...sessions.map((name) => join("s", name)), "u"]) {
        const names = namesOfScope(app, user, scope);
        const ofScope = [tenantId, app, user, scope];
        if (names === undefined || !isAfter([...ofScope, LAST], after)) continue;
        for (const file of (await listNames(join(path, scope))).toSorted()) {
          const folder = join(path, scope, file);
          const filename = await artifactName(folder);
          if (filename === undefined) continue;
          for (const version of storedNumbers(await listNames(folder))) {
            const place = [...ofScope, file, String(version).padStart(16, "0")];
            if (!isAfter(place, after)) continue;
            const timeMs = await savedAt(folder, version);
            const prefix = scope === "u" ? USER_FILE_PREFIX : "";
            const aged = { ...inTenant(tenantId), ...names, filename: prefix + filename, version };
            yield { place, item: timeMs === undefined ? undefined : toOldVersion({ ...aged, timeMs }) };
          }
        }
      }
    }
  }
}

/**
 * When the version was saved; undefined if there is none. Data without a record is what a process has left that was
 * killed while it saved or deleted the version.
 */
export async function savedAt(folder: string, version: number): Promise<number | undefined> {
  return (await writtenAt(join(folder, `${version}.json`))) ?? (await writtenAt(join(folder, `${version}.data`)));
}

/** Sorts after every name of a file. */
const LAST = "\u{10ffff}";
