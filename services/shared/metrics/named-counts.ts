import type { AppScope } from "#kit/names/app-scope.ts";
import { tenantKey } from "#kit/names/tenant.ts";

/** A count for each name. */
export class NamedCounts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** A user of one app. */
export interface CountedUser extends AppScope {
  readonly userId: string;
}

/** Identifiers have no control characters, so that no two users share a name. */
export function ownerName({ tenantId, appName, userId }: CountedUser): string {
  return tenantKey(`${appName}\n${userId}`, tenantId);
}

/** Identifiers have no control characters, so that no two apps share a name. */
export function appScopeName({ tenantId, appName }: AppScope): string {
  return tenantKey(appName, tenantId);
}
