/**
 * The members that have a value, for objects whose members are counted, listed or written one by one.
 *
 * @example
 * new URLSearchParams(present({ app: "shop", user: undefined })); // app=shop
 */
export function present<V>(members: Readonly<Record<string, V | undefined>>): Record<string, V> {
  const some: Record<string, V> = {};
  for (const [name, member] of Object.entries(members)) if (member !== undefined) some[name] = member;
  return some;
}

/**
 * The given options over the defaults. An option that is given as `undefined` has its default: a spread would lose it.
 *
 * @example
 * withDefaults({ limit: 10, order: "asc" }, { limit: undefined }); // { limit: 10, order: "asc" }
 */
export function withDefaults<Options extends object>(defaults: Options, given: Partial<Options>): Options {
  const options = { ...defaults };
  for (const [name, option] of Object.entries(given)) if (option !== undefined) Reflect.set(options, name, option);
  return options;
}
