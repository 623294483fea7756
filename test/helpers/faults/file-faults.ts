import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Fails one call of the file system, and counts the calls. */
export interface FileFaults extends Disposable {
  /** Fails the call of this number, counted from now, once with the code. */
  failCall(number: number, code: string): void;
  /** Fails every call that writes with the code, until `heal`. */
  failWrites(code: string): void;
  heal(): void;
  /** Whether the call that had to fail was made. */
  readonly hasFailed: boolean;
}

const CALLS = [
  ...([
    "open",
    "readdir",
    "readFile",
    "writeFile",
    "copyFile",
    "rename",
    "link",
    "unlink",
    "mkdir",
    "rm",
    "rmdir",
  ] as const),
  ...(["access", "stat", "realpath"] as const),
] as const;
const HANDLE_CALLS = ["writeFile", "sync", "datasync"] as const;
const WRITES: ReadonlySet<string> = new Set(["writeFile", "copyFile", "sync", "datasync", "mkdir", "link", "rename"]);

type Call = (...args: unknown[]) => Promise<unknown>;

/** Intercepts calls to the promises of `node:fs`, until it is disposed. */
export function injectFileFaults(): FileFaults {
  // A module's functions can be replaced like members of any object.
  const target = fs.promises as unknown as Record<string, Call>;
  const originals = new Map(CALLS.map((name) => [name, target[name] as Call]));
  let failing = { at: -1, code: "" };
  let writeCode = "";
  let made = 0;
  let hasFailed = false;
  const step = (name: string): void => {
    made += 1;
    let code = WRITES.has(name) ? writeCode : "";
    if (made === failing.at) code = failing.code;
    if (code === "") return;
    hasFailed = true;
    throw Object.assign(new Error(`${code}: planted, ${name} '/private/place'`), { code, syscall: name });
  };
  for (const [name, original] of originals) {
    target[name] = async (...args) => {
      step(name);
      const result = await original.apply(fs.promises, args);
      if (name === "open") watchHandle(result as Record<string, Call>, step);
      return result;
    };
  }
  syncBuiltinESMExports();
  return {
    failCall: (number, code) => {
      failing = { at: number, code };
      made = 0;
      hasFailed = false;
    },
    failWrites: (code) => {
      writeCode = code;
    },
    heal: () => {
      failing = { at: -1, code: "" };
      writeCode = "";
    },
    get hasFailed() {
      return hasFailed;
    },
    [Symbol.dispose]: () => {
      for (const [name, original] of originals) target[name] = original;
      syncBuiltinESMExports();
    },
  };
}

function watchHandle(handle: Record<string, Call>, step: (name: string) => void): void {
  for (const name of HANDLE_CALLS) {
    const original = handle[name] as Call;
    handle[name] = async (...args) => {
      step(name);
      return original.apply(handle, args);
    };
  }
}
