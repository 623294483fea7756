/**
 * The members that have a value, for objects whose members are counted, listed or written one by one.
 *
 * @example
 * new URLSearchParams(present({ app: "shop", user: undefined })); // app=shop
 */
export function present<V>(members: Readonly<Record<string, V | undefined>>): Record<string, V> {
  // Not by assignment, which would take a member named `__proto__` of a peer's JSON for the prototype.
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, V & ({} | null)] => entry[1] !== undefined),
  );
}

/**
 * The given options over the defaults. An option that is given as `undefined` has its default: a spread would lose it.
 *
 * @example
 * withDefaults({ limit: 10, order: "asc" }, { limit: undefined }); // { limit: 10, order: "asc" }
 */
export function withDefaults<Options extends object>(defaults: Options, given: Partial<Options>): Options {
  // Most calls give no `undefined`, and some are made in every run.
  if (!Object.values(given).includes(undefined)) return { ...defaults, ...given };
  return { ...defaults, ...present(given as Readonly<Record<string, unknown>>) };
}
