import { join } from "node:path";
import { USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { DataOwner } from "#ports/tenants/data-owner.ts";
import { isAfter, type PlacedItem } from "#ports/tenants/data-pages.ts";
import type { DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import { listArtifacts } from "./artifact-folder.ts";
import { listNames, removeTree } from "./durable-files.ts";
import { fromFileSegment, toFileSegment } from "./file-segment.ts";
import { appFolders, tenantFolder } from "./tenant-folder.ts";

/** The folder of one user of one app. */
export interface UserFolder {
  readonly path: string;
  readonly app: string;
  readonly user: string;
}

/** The artifacts of a tenant or of one of its users, in the order of their folders. */
export async function* ownedArtifacts(
  root: string,
  owner: DataOwner,
  after: readonly string[] | undefined,
): AsyncGenerator<PlacedItem, void, undefined> {
  for await (const { path, app, user } of userFolders(root, owner)) {
    const sessions = (await listNames(join(path, "s"))).toSorted();
    const scopes = [...sessions.map((name) => join("s", name)), "u"];
    for (const scope of scopes) {
      const place = [app, user, scope];
      if (!isAfter([...place, LAST], after)) continue;
      const item = namesOfScope(app, user, scope);
      if (item === undefined) {
        const unnamed = [...place, ""];
        if (isAfter(unnamed, after))
          yield { item: { kind: "unnamed-files", folder: join(app, user, scope) }, place: unnamed };
        continue;
      }
      const prefix = scope === "u" ? USER_FILE_PREFIX : "";
      const filenames = await listArtifacts(join(path, scope), () => false);
      for (const filename of filenames.toSorted()) {
        const own = [...place, filename];
        if (isAfter(own, after)) yield { item: { kind: "artifact", ...item, filename: prefix + filename }, place: own };
      }
    }
  }
}

/** A user's folder is removed as a whole. */
export async function deleteOwnedArtifacts(
  root: string,
  request: DeleteDataRequest,
  removeUser: (user: UserFolder) => Promise<void>,
): Promise<DeleteDataResponse> {
  let deleted = 0;
  for await (const user of userFolders(root, request)) {
    const { path } = user;
    if (deleted >= request.limit) return { deleted, isDone: false };
    deleted += (await listNames(join(path, "s"))).length + (await listNames(join(path, "u"))).length;
    await removeUser(user);
  }
  if (request.userId !== undefined) return { deleted, isDone: true };
  for (const app of await appFolders(root, inTenant(request.tenantId)))
    await removeTree(join(tenantFolder(root, inTenant(request.tenantId)), app));
  return { deleted, isDone: true };
}

/** The folders of the owner's users, in their order. */
export async function* userFolders(
  root: string,
  { tenantId, userId }: DataOwner,
): AsyncGenerator<UserFolder, void, undefined> {
  const folder = tenantFolder(root, inTenant(tenantId));
  for (const app of await appFolders(root, inTenant(tenantId))) {
    const users = await listNames(join(folder, app));
    const own = userId === undefined ? users.toSorted() : users.filter((user) => user === toFileSegment(userId));
    for (const user of own) yield { path: join(folder, app, user), app, user };
  }
}

/** Sorts after every name of a file. */
const LAST = "\u{10ffff}";

interface ScopeNames {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId?: string;
}

/** Undefined if a name is too long to be restored from its folder. */
export function namesOfScope(app: string, user: string, scope: string): ScopeNames | undefined {
  const appName = fromFileSegment(app);
  const userId = fromFileSegment(user);
  if (appName === undefined || userId === undefined) return undefined;
  if (scope === "u") return { appName, userId };
  const sessionId = fromFileSegment(scope.slice("s/".length));
  return sessionId === undefined ? undefined : { appName, userId, sessionId };
}
