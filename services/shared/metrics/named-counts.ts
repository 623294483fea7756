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
export interface Owner {
  readonly appName: string;
  readonly userId: string;
}

/** Identifiers have no control characters, so that no two users share a name. */
export function ownerName({ appName, userId }: Owner): string {
  return `${appName}\n${userId}`;
}
