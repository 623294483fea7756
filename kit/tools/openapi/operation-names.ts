const MAX_CHARACTERS = 60;

/** Names of the tools of one description: snake_case, at most 60 characters, each used once. */
export class OperationNames {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  take(text: string): string {
    const base = toSnakeCase(text).slice(0, MAX_CHARACTERS);
    let name = base;
    for (let count = this.#next.get(base) ?? 2; this.#taken.has(name); count += 1) {
      const suffix = `_${count}`;
      name = `${base.slice(0, MAX_CHARACTERS - suffix.length)}${suffix}`;
      this.#next.set(base, count + 1);
    }
    this.#taken.add(name);
    return name;
  }
}

/** `listAllPets` is `list_all_pets`. Names of functions begin with a letter. */
function toSnakeCase(text: string): string {
  const words = text
    .slice(0, 500)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_/, "")
    .replace(/_$/, "")
    .toLowerCase();
  return /^[a-z]/.test(words) ? words : `operation_${words}`;
}
