import { isScope, SCOPES, type Scope } from "./scopes.ts";

/** The group of every caller. */
const EVERY_GROUP = "*";

/** The scopes that groups give to their members. */
export class ScopeMap {
  readonly #scopes = new Map<string, Set<Scope>>();

  /** `problems` gets a sentence for each pair whose scope does not exist. `where` names the setting. */
  constructor(pairs: Iterable<readonly [group: string, scope: string]>, where: string, problems: string[]) {
    for (const [group, scope] of pairs) {
      if (group !== "" && isScope(scope)) this.#add(group, scope);
      else problems.push(`${where}: ${group}=${scope} names no scope of a group. Scopes are ${SCOPES.join(", ")}.`);
    }
  }

  /** The pairs of a setting such as `staff=runs:write`. */
  static ofSetting(entries: readonly string[], where: string, problems: string[]): ScopeMap {
    const pairs = entries.map((entry): readonly [string, string] => {
      // Names of groups may contain the sign, scopes do not.
      const at = entry.lastIndexOf("=");
      return [entry.slice(0, Math.max(0, at)).trim(), entry.slice(at + 1).trim()];
    });
    return new ScopeMap(pairs, where, problems);
  }

  /** The same text for maps that give the same scopes. */
  get text(): string {
    const pairs = [...this.#scopes].flatMap(([group, scopes]) => [...scopes].map((scope) => `${group}=${scope}`));
    return JSON.stringify(pairs.sort());
  }

  scopesOf(groups: readonly string[]): ReadonlySet<Scope> {
    const all = new Set(this.#scopes.get(EVERY_GROUP));
    for (const group of groups) for (const scope of this.#scopes.get(group) ?? []) all.add(scope);
    return all;
  }

  #add(group: string, scope: Scope): void {
    const scopes = this.#scopes.get(group) ?? new Set();
    this.#scopes.set(group, scopes.add(scope));
  }
}
