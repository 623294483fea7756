import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type ScopedDelta, setOwn } from "#kit/sessions/state-delta.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import { allRows } from "../database/sqlite-database.ts";
import type { SessionStatements } from "./session-statements.ts";

interface StateRow {
  readonly key: string;
  readonly value: string;
}

type StateOwner = Omit<SessionKey, "id">;

/**
 * The state of apps and of users, one row for each key: sessions that set different keys do not rewrite each other's.
 */
export class SharedStateTables {
  readonly #statements: SessionStatements;
  readonly #content: SessionContent;
  readonly #apps: BoundedCache<StateScope>;
  readonly #users: BoundedCache<StateScope>;

  constructor(statements: SessionStatements, maxCached: number, content: SessionContent) {
    this.#statements = statements;
    this.#content = content;
    this.#apps = new BoundedCache(maxCached);
    this.#users = new BoundedCache(maxCached);
  }

  forget(): void {
    this.#apps.clear();
    this.#users.clear();
  }

  app(owner: StateOwner): StateScope {
    const app = [tenantOf(owner), owner.appName] as const;
    const open = (row: StateRow) => this.#content.openShared("app", owner, row.key, row.value);
    return cached(this.#apps, app, open, () => allRows<StateRow>(this.#statements.findAppState, ...app));
  }

  user(owner: StateOwner): StateScope {
    const user = [tenantOf(owner), owner.appName, owner.userId] as const;
    const open = (row: StateRow) => this.#content.openShared("user", owner, row.key, row.value);
    return cached(this.#users, user, open, () => allRows<StateRow>(this.#statements.findUserState, ...user));
  }

  apply(owner: StateOwner, { app, user }: ScopedDelta): void {
    const { appName, userId } = owner;
    const tenantId = tenantOf(owner);
    const content = this.#content;
    const { saveAppKey, deleteAppKey, saveUserKey, deleteUserKey } = this.#statements;
    for (const [key, value] of Object.entries(app)) {
      if (value === null) deleteAppKey.run(tenantId, appName, key);
      else saveAppKey.run(tenantId, appName, key, content.sealShared("app", owner, key, JSON.stringify(value)));
    }
    for (const [key, value] of Object.entries(user)) {
      if (value === null) deleteUserKey.run(tenantId, appName, userId, key);
      else {
        const text = content.sealShared("user", owner, key, JSON.stringify(value));
        saveUserKey.run(tenantId, appName, userId, key, text);
      }
    }
    if (!isEmpty(app)) this.app(owner).apply(app);
    if (!isEmpty(user)) this.user(owner).apply(user);
  }
}

/** Identifiers have no control characters, so no two names become the same key. */
function cached(
  cache: BoundedCache<StateScope>,
  name: readonly string[],
  open: (row: StateRow) => string,
  load: () => readonly StateRow[],
): StateScope {
  const key = name.join("\n");
  const known = cache.get(key);
  if (known !== undefined) return known;
  const values: Record<string, JsonValue> = {};
  // Written by JSON.stringify from a JSON value.
  for (const row of load()) setOwn(values, row.key, JSON.parse(open(row)) as JsonValue);
  const scope = StateScope.of(values);
  cache.set(key, scope);
  return scope;
}

function isEmpty(delta: JsonObject): boolean {
  return Object.keys(delta).length === 0;
}
