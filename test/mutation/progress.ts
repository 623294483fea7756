import { appendFileSync, closeSync, existsSync, openSync, readSync } from "node:fs";

/** One line of the log of a run. `fault` and `test` are ids. */
export type ProgressRecord =
  | { readonly kind: "started"; readonly fault: string; readonly test: string }
  | { readonly kind: "noticed"; readonly fault: string; readonly test: string; readonly how: "Killed" | "Timeout" }
  | { readonly kind: "survived"; readonly fault: string; readonly test: string }
  /** The test failed with the fault, and then without it: an earlier fault may have changed the process's state. */
  | { readonly kind: "suspect"; readonly fault: string; readonly test: string }
  | { readonly kind: "finished"; readonly test: string }
  | ({ readonly kind: "slow"; readonly tookMs: number } & UnusedTest)
  /** The test failed without a fault. */
  | ({ readonly kind: "failed"; readonly message: string } & UnusedTest)
  /** Faults in code that runs outside tests, mostly while a module is loaded. */
  | { readonly kind: "static"; readonly faults: readonly string[] }
  | { readonly kind: "restart" };

interface UnusedTest {
  readonly test: string;
  readonly title: string;
  /** The faults that the test reaches. */
  readonly faults: readonly string[];
}

const ATTEMPTS_WITHOUT_A_FAULT = 2;

/**
 * What is known about the faults and tests of a run. The processes that run the tests append to its log, one after
 * another; the process that starts them follows it.
 */
export class Progress {
  readonly noticed = new Map<string, "Killed" | "Timeout">();
  readonly survived = new Set<string>();
  readonly static = new Set<string>();
  /** Tests that are not repeated with faults: slower than the limit, or failing without a fault. */
  readonly unused = new Map<string, UnusedTest & { readonly reason: string }>();
  readonly #tried = new Set<string>();
  readonly #suspect = new Set<string>();
  readonly #finished = new Set<string>();
  readonly #failures = new Map<string, number>();
  #last: ProgressRecord | undefined;

  get last(): ProgressRecord | undefined {
    return this.#last;
  }

  get finishedTests(): number {
    return this.#finished.size;
  }

  add(record: ProgressRecord): void {
    this.#last = record;
    switch (record.kind) {
      case "started":
      case "restart":
        return;
      case "noticed":
        this.noticed.set(record.fault, record.how);
        return;
      case "survived":
        this.survived.add(record.fault);
        this.#tried.add(pair(record));
        return;
      case "suspect":
        this.#suspect.add(pair(record));
        return;
      case "finished":
        this.#finished.add(record.test);
        this.unused.delete(record.test);
        return;
      case "slow":
        this.unused.set(record.test, { ...record, reason: `takes ${Math.round(record.tookMs)} ms` });
        return;
      case "failed":
        this.#failures.set(record.test, (this.#failures.get(record.test) ?? 0) + 1);
        this.unused.set(record.test, { ...record, reason: `fails without a fault: ${record.message}` });
        return;
      case "static":
        for (const fault of record.faults) this.static.add(fault);
        return;
      default:
        record satisfies never;
    }
  }

  /** Whether nothing more can be found out by the test. */
  isFinished(test: string): boolean {
    return this.#finished.has(test) || (this.#failures.get(test) ?? 0) >= ATTEMPTS_WITHOUT_A_FAULT;
  }

  isOpen(fault: string, test: string): boolean {
    return !this.noticed.has(fault) && !this.#tried.has(pair({ fault, test }));
  }

  isSuspect(fault: string, test: string): boolean {
    return this.#suspect.has(pair({ fault, test }));
  }
}

/** Appends records to a log, or reads those that were appended since the last call. */
export class ProgressLog {
  readonly progress = new Progress();
  readonly #file: string;
  #offset = 0;
  #rest = "";

  constructor(file: string) {
    this.#file = file;
  }

  append(record: ProgressRecord): void {
    appendFileSync(this.#file, `${JSON.stringify(record)}\n`);
    this.progress.add(record);
  }

  /** Returns the number of new records. */
  follow(): number {
    if (!existsSync(this.#file)) return 0;
    const lines = (this.#rest + this.#readRest()).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.progress.add(JSON.parse(line) as ProgressRecord);
    return lines.length;
  }

  #readRest(): string {
    const chunks: Buffer[] = [];
    const file = openSync(this.#file, "r");
    try {
      const chunk = Buffer.alloc(1 << 20);
      for (;;) {
        const length = readSync(file, chunk, 0, chunk.length, this.#offset);
        if (length === 0) return Buffer.concat(chunks).toString();
        this.#offset += length;
        chunks.push(Buffer.from(chunk.subarray(0, length)));
      }
    } finally {
      closeSync(file);
    }
  }
}

function pair({ fault, test }: { readonly fault: string; readonly test: string }): string {
  return `${fault} ${test}`;
}
