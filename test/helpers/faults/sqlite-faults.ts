import { DatabaseSync, StatementSync } from "node:sqlite";

/** SQLite's result codes. */
export const SQLITE_CODES = { BUSY: 5, NOMEM: 7, IOERR: 10, FULL: 13, CANTOPEN: 14 } as const;

/** Fails one call of SQLite, and counts the calls. */
export interface SqliteFaults extends Disposable {
  failCall(number: number, errcode: number): void;
  heal(): void;
  readonly hasFailed: boolean;
}

type Call = (...args: unknown[]) => unknown;

/** Intercepts calls to SQLite, until it is disposed. */
export function injectSqliteFaults(): SqliteFaults {
  const places = [
    [DatabaseSync.prototype, "exec"],
    [StatementSync.prototype, "run"],
    [StatementSync.prototype, "get"],
    [StatementSync.prototype, "all"],
  ] as const;
  let failing = { at: -1, errcode: 0 };
  let made = 0;
  let hasFailed = false;
  const originals = places.map(([prototype, name]) => {
    // A class's methods can be replaced like members of any object.
    const target = prototype as unknown as Record<string, Call>;
    const original = target[name] as Call;
    target[name] = function (this: unknown, ...args) {
      made += 1;
      if (made !== failing.at) return original.apply(this, args);
      hasFailed = true;
      throw Object.assign(new Error("planted"), { code: "ERR_SQLITE_ERROR", errcode: failing.errcode });
    };
    return { target, name, original };
  });
  return {
    failCall: (number, errcode) => {
      failing = { at: number, errcode };
      made = 0;
      hasFailed = false;
    },
    heal: () => {
      failing = { at: -1, errcode: 0 };
    },
    get hasFailed() {
      return hasFailed;
    },
    [Symbol.dispose]: () => {
      for (const { target, name, original } of originals) target[name] = original;
    },
  };
}
