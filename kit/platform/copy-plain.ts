/** A deep copy of plain data, several times as fast as structuredClone, which copies any other value in it. */
export function copyPlain<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  // The copy has the type of what it copies.
  if (Array.isArray(value)) return value.map(copyPlain) as Value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copy = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === "object" && member !== null) copy[key] = copyPlain(member);
  }
  return copy;
}
