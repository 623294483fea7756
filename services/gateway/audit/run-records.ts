import type { FastifyRequest } from "fastify";
import type { AuditDecision, AuditResource } from "#ports/audit/audit-event.ts";
import type { Auditor } from "#shared/audit/audit-recorder.ts";

const RECORDS = Symbol("runRecords");

type MarkedMessage = FastifyRequest["raw"] & { [RECORDS]?: RunRecords };

/** Longest time that a decision waits for its run. A server that is killed loses the decisions that wait. */
const MAX_HELD_MS = 1000;

/**
 * The records of a request that may start runs, or an evaluation. Its decision is noted when the first of them is
 * known, when the request ends without one, and after a second. Each run that is known later has a record of its own.
 */
export class RunRecords {
  readonly #auditor: Pick<Auditor, "note">;
  readonly #decision: AuditDecision;
  readonly #timer: NodeJS.Timeout;
  #isNoted = false;

  constructor(auditor: Pick<Auditor, "note">, decision: AuditDecision) {
    this.#auditor = auditor;
    this.#decision = decision;
    this.#timer = setTimeout(() => this.end(), MAX_HELD_MS).unref();
  }

  started(names: Pick<AuditResource, "runId" | "jobId">): void {
    const { resource } = this.#decision;
    // A request that names another run, such as one that requeues it, has a record with that run's id too.
    if (resource.runId !== undefined) this.end();
    this.#setNoted();
    this.#auditor.note({ ...this.#decision, resource: { ...resource, ...names } });
  }

  end(): void {
    if (this.#isNoted) return;
    this.#setNoted();
    this.#auditor.note(this.#decision);
  }

  #setNoted(): void {
    this.#isNoted = true;
    clearTimeout(this.#timer);
  }
}

export function keepRunRecords({ raw }: Pick<FastifyRequest, "raw">, records: RunRecords): void {
  (raw as MarkedMessage)[RECORDS] = records;
}

/** Undefined for a request that starts no runs. */
export function runRecordsOf({ raw }: Pick<FastifyRequest, "raw">): RunRecords | undefined {
  return (raw as MarkedMessage)[RECORDS];
}
