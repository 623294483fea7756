import { join } from "node:path";
import { type MeteredAmounts, NOTHING_METERED, sumOf } from "#ports/storage-limits/metered-amounts.ts";
import type { StoredOfOwner } from "#ports/storage-limits/process-storage-meter.ts";
import { versionsIn } from "./artifact-folder.ts";
import { listNames, sizeIfPresent } from "./durable-files.ts";

/** The sizes of a tenant's artifacts by the folders of apps and users, from the files themselves. */
export async function storedArtifacts(tenantRoot: string): Promise<readonly StoredOfOwner[]> {
  const stored: StoredOfOwner[] = [];
  // Names that begin with a dot are not apps.
  const apps = (await listNames(tenantRoot)).filter((name) => !name.startsWith("."));
  for (const appName of apps) {
    for (const userId of await listNames(join(tenantRoot, appName))) {
      const folder = join(tenantRoot, appName, userId);
      stored.push({ appName, userId, ...(await sizeOfUser(folder)) });
    }
  }
  return stored;
}

/** The sizes of all artifacts of a user of an app. */
export async function sizeOfUser(folder: string): Promise<MeteredAmounts> {
  let size = await sizeOfScope(join(folder, "u"));
  const sessions = join(folder, "s");
  for (const session of await listNames(sessions)) size = sumOf(size, await sizeOfScope(join(sessions, session)));
  return size;
}

/** The sizes of all artifacts of a session or a user. */
export async function sizeOfScope(scopeFolder: string): Promise<MeteredAmounts> {
  let size = NOTHING_METERED;
  for (const artifact of await listNames(scopeFolder)) {
    size = sumOf(size, await sizeOfArtifact(join(scopeFolder, artifact)));
  }
  return size;
}

/** The sizes of all versions of an artifact. */
export async function sizeOfArtifact(folder: string): Promise<MeteredAmounts> {
  const sizes = await Promise.all(versionsIn(await listNames(folder)).map((number) => sizeOfVersion(folder, number)));
  return sizes.reduce(sumOf, NOTHING_METERED);
}

/** The size of a version, with its record; nothing of a version without one. */
export async function sizeOfVersion(folder: string, number: number): Promise<MeteredAmounts> {
  const record = await sizeIfPresent(join(folder, `${number}.json`));
  if (record === undefined) return NOTHING_METERED;
  return { items: 1, bytes: record + ((await sizeIfPresent(join(folder, `${number}.data`))) ?? 0) };
}
