import { join } from "node:path";
import type { StoredOfOwner } from "#ports/storage-limits/process-storage-meter.ts";
import { listNames, sizeIfPresent } from "./durable-files.ts";

/** The sizes of a tenant's evaluation sets and results by the folders of apps, from the files themselves. */
export async function storedEvaluations(tenantRoot: string): Promise<readonly StoredOfOwner[]> {
  const apps = (await listNames(tenantRoot)).filter((name) => !name.startsWith("."));
  return Promise.all(
    apps.map(async (appName) => {
      const folder = join(tenantRoot, appName);
      const sizes = [
        ...(await sizesIn(folder, ".evalset.json")),
        ...(await sizesIn(join(folder, ".adk", "eval_history"), ".evalset_result.json")),
      ];
      return { appName, items: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    }),
  );
}

async function sizesIn(folder: string, suffix: string): Promise<readonly number[]> {
  const names = (await listNames(folder)).filter((name) => name.endsWith(suffix));
  const sizes = await Promise.all(names.map((name) => sizeIfPresent(join(folder, name))));
  return sizes.filter((size) => size !== undefined);
}
