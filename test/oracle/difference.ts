/** One place where this server's answer is not the recorded one, as the replay reports it. */
export interface Difference {
  readonly scenario: string;
  readonly step: string;
  readonly cls: string;
  readonly path: string;
  readonly expected?: string;
  readonly actual?: string;
}

/** A name, a pattern of names, or a list of names. */
export type Names = string | RegExp | readonly string[];

/** Differences that are decided on: all given fields must match. */
export interface ListedDifference {
  readonly scenarios: Names;
  readonly steps?: Names;
  /** The path in the report. */
  readonly path: RegExp;
  readonly cls?: DifferenceClass;
  readonly expected?: RegExp;
  readonly actual?: RegExp;
  /** Why this server answers as it does, for a user of the recorded one. */
  readonly reason: string;
  /** The row of `test/requirements` that it follows. */
  readonly follows: string;
  /** Of recordings that not every folder has: the entry may match nothing. */
  readonly optional?: boolean;
}

export type DifferenceClass = "different value" | "different status" | "missing fields" | "extra fields";

/** Applies to all answers. */
export const EVERYWHERE = /./;

/** A part that the kit cannot do yet. It is not compared, and must not agree. */
export interface NotReached {
  readonly scenario: string;
  /** Limits the entry to these steps of the scenario. */
  readonly steps?: Names;
  readonly path?: RegExp;
  readonly missing: string;
}

export function isNamed(name: string, names: Names | undefined): boolean {
  if (names === undefined) return true;
  if (typeof names === "string") return name === names;
  return names instanceof RegExp ? names.test(name) : names.includes(name);
}

export function isListed(difference: Difference, entry: ListedDifference): boolean {
  const { scenario, step, cls, path, expected = "", actual = "" } = difference;
  return (
    isNamed(scenario, entry.scenarios) &&
    isNamed(step, entry.steps) &&
    (entry.cls === undefined || entry.cls === cls) &&
    entry.path.test(path) &&
    (entry.expected === undefined || entry.expected.test(expected)) &&
    (entry.actual === undefined || entry.actual.test(actual))
  );
}

export function isOutOfReach({ scenario, step, path }: Difference, entry: NotReached): boolean {
  return scenario === entry.scenario && isNamed(step, entry.steps) && (entry.path?.test(path) ?? true);
}
