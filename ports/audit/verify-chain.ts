import { type ChainHead, EMPTY_SHA256, isIntact, RECORD_START, readRecord, type StatedRecord } from "./audit-chain.ts";

/** A line of a log, and its position for messages. */
export interface AuditLine {
  readonly text: string;
  readonly place: string;
  /** The log ends within this line. */
  readonly isIncomplete?: boolean;
}

export interface VerifyOptions {
  /** Records that must be in the log, such as the last one of an earlier check. */
  readonly heads?: readonly ChainHead[];
  /** Whether a chain may begin after its first record: older records are archived elsewhere. */
  readonly isPartial?: boolean;
  /** Whether the records are lines of a log with other lines and several chains. */
  readonly isMixed?: boolean;
}

/** The result of a check: the chains as far as they are intact, and the first problem. */
export interface ChainReport {
  readonly chains: readonly VerifiedChain[];
  /** Remarks for the operator on findings that are not a fault of the chain. */
  readonly notes: readonly string[];
  readonly problem?: string;
}

/** A chain up to its last record, or to the last one before the problem. */
export interface VerifiedChain extends ChainHead {
  readonly first: number;
}

/** Checks that each record is unchanged and follows the one before it. Stops at the first that does not. */
export async function verifyChain(lines: AsyncIterable<AuditLine>, options: VerifyOptions = {}): Promise<ChainReport> {
  const verifier = new ChainVerifier(options);
  for await (const line of lines) if (!verifier.accepts(line)) break;
  return verifier.report();
}

class ChainVerifier {
  readonly #options: VerifyOptions;
  readonly #chains = new Map<string, VerifiedChain>();
  readonly #expected = new Map<string, ChainHead>();
  readonly #notes: string[] = [];
  #problem: string | undefined;

  constructor(options: VerifyOptions) {
    this.#options = options;
    for (const head of options.heads ?? []) if (head.seq > 0) this.#expected.set(nameOf(head), head);
  }

  /** False if the line breaks its chain. */
  accepts({ text, place, isIncomplete = false }: AuditLine): boolean {
    if (this.#options.isMixed === true && !text.startsWith(RECORD_START)) return true;
    if (isIncomplete) {
      this.#notes.push(
        `${place}: the log ends within a record (${Buffer.byteLength(text)} bytes). It is being written, or its writer was killed: the next start keeps this part aside and records it.`,
      );
      return true;
    }
    const record = readRecord(text);
    this.#problem = record === undefined ? `${place}: this line is not an audit record.` : this.#check(record, place);
    return this.#problem === undefined;
  }

  report(): ChainReport {
    const problem = this.#problem ?? this.#missing();
    return { chains: [...this.#chains.values()], notes: this.#notes, problem };
  }

  #check(record: StatedRecord, place: string): string | undefined {
    const { chain, seq, sha256, previous } = record;
    const where = `${place}: record ${seq}`;
    if (!isIntact(record)) return `${where} was changed: its text does not have its digest.`;
    const last = this.#chains.get(chain) ?? this.#start(record);
    if (last === undefined) return `${where} is of the chain ${chain}, which is not the chain of this log.`;
    if (seq !== last.seq + 1)
      return `${where} follows record ${last.seq}${last.seq === 0 ? ": the first is missing" : ""}.`;
    if (previous !== last.sha256) return `${where} does not follow the record before it: one of them was replaced.`;
    const expected = this.#expected.get(nameOf(record));
    if (expected !== undefined && expected.sha256 !== sha256)
      return `${where} is not the one that was expected: the chain was written anew.`;
    this.#expected.delete(nameOf(record));
    this.#chains.set(chain, { chain, seq, sha256, first: last.first });
    return undefined;
  }

  /** The head that the first record of a chain has to follow; undefined if this log has another chain. */
  #start({ chain, seq, previous }: StatedRecord): VerifiedChain | undefined {
    const { isMixed = false, isPartial = isMixed } = this.#options;
    if (this.#chains.size > 0 && !isMixed) return undefined;
    return isPartial
      ? { chain, seq: seq - 1, sha256: previous, first: seq }
      : { chain, seq: 0, sha256: EMPTY_SHA256, first: 1 };
  }

  /** Describes an expected head that is missing because the log ends too early; undefined if none is missing. */
  #missing(): string | undefined {
    for (const { chain, seq } of this.#expected.values()) {
      const known = this.#chains.get(chain);
      if (known !== undefined && seq < known.first) continue;
      return `The chain ${chain} ends with record ${known?.seq ?? 0}, and record ${seq} was written: the end of the log is missing.`;
    }
    return undefined;
  }
}

function nameOf({ chain, seq }: ChainHead): string {
  return `${chain}/${seq}`;
}
