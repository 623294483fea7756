import { dirname, join } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { parseEvalSetResult } from "#kit/evaluation/eval-json.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isAfter } from "#ports/tenants/data-pages.ts";
import type { OldItem } from "#ports/tenants/old-data.ts";
import { listNames, readIfPresent, writtenAt } from "./durable-files.ts";
import { HISTORY, PLAIN_NAME, RESULT_SUFFIX, readEvalFile, resultName } from "./eval-files.ts";
import { fromFileSegment } from "./file-segment.ts";
import { appFolders, tenantFolder, tenantsIn } from "./tenant-folder.ts";

interface Walk {
  readonly items: readonly OldItem[];
  /** The place of the last file that was read, if there may be more. */
  readonly last?: readonly string[];
}

/** Reads the next results of all tenants after a place, in the order of their files. */
export async function walkResults(
  root: string,
  { after, limit }: { readonly after: readonly string[] | undefined; readonly limit: number },
): Promise<Walk> {
  const items: OldItem[] = [];
  let count = 0;
  for await (const { place, path } of resultFiles(root, after)) {
    const item = await itemAt(path, place);
    if (item !== undefined) items.push(item);
    count += 1;
    if (count >= limit) return { items, last: place };
  }
  return { items };
}

interface ResultFile {
  readonly place: readonly [tenant: string, app: string, file: string];
  readonly path: string;
}

async function* resultFiles(
  root: string,
  after: readonly string[] | undefined,
): AsyncGenerator<ResultFile, void, undefined> {
  for (const tenantId of (await tenantsIn(root)).toSorted()) {
    // Places of one tenant or app that end before the given one are not listed again.
    if (after !== undefined && tenantId < (after[0] ?? "")) continue;
    const tenant = inTenant(tenantId);
    for (const app of await appFolders(root, tenant)) {
      if (!isAfter([tenantId, app, "\uffff"], after)) continue;
      const folder = join(tenantFolder(root, tenant), app, ...HISTORY);
      const files = (await listNames(folder)).filter((name) => name.endsWith(RESULT_SUFFIX)).toSorted();
      for (const file of files) {
        const place = [tenantId, app, file] as const;
        if (isAfter(place, after)) yield { place, path: join(folder, file) };
      }
    }
  }
}

/** Undefined for a file that is not a result, or whose app or name cannot be restored. */
async function itemAt(path: string, [tenantId, app, file]: ResultFile["place"]): Promise<OldItem | undefined> {
  const appName = PLAIN_NAME.test(app) ? app : fromFileSegment(app);
  const id = await resultName(dirname(path), file.slice(0, -RESULT_SUFFIX.length));
  const timeMs = await timeOfResult(path);
  if (appName === undefined || id === undefined || timeMs === undefined) return undefined;
  return { ...inTenant(tenantId), appName, id, timeMs };
}

/** When the result was created; undefined if there is none, or if it cannot be read. One without a time counts from its last change. */
export async function timeOfResult(path: string): Promise<number | undefined> {
  const bytes = await readIfPresent(path);
  if (bytes === undefined) return undefined;
  try {
    const { creationTimestamp } = readEvalFile(bytes, "", parseEvalSetResult);
    return creationTimestamp > 0 ? creationTimestamp * 1000 : await writtenAt(path);
  } catch (error) {
    if (error instanceof PlatformError && error.reason === "EVAL_DATA_BROKEN") return undefined;
    throw error;
  }
}
