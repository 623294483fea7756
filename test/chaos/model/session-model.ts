/** The expected end of a call of the store: success, or the reason of its refusal. */
export type Outcome = "ok" | string;

export interface ModelRun {
  readonly runId: string;
  readonly sessionId: string;
  epoch: number;
  attempts: number;
  expiresAt: number;
  isActive: boolean;
  /** The session was deleted, perhaps made anew, and the run with it. */
  isGone: boolean;
}

interface ModelSession {
  eventIds: string[];
  count: number;
  epoch: number;
  active: ModelRun | undefined;
}

/** The expected sessions, runs and leases, in the simplest form. */
export class SessionModel {
  readonly leaseMs: number;
  readonly sessions = new Map<string, ModelSession>();
  readonly runs: ModelRun[] = [];
  now = 0;

  constructor(leaseMs: number) {
    this.leaseMs = leaseMs;
  }

  create(sessionId: string): Outcome {
    if (this.sessions.has(sessionId)) return "SESSION_ALREADY_EXISTS";
    this.sessions.set(sessionId, { eventIds: [], count: 0, epoch: 0, active: undefined });
    return "ok";
  }

  delete(sessionId: string): Outcome {
    for (const run of this.runs) if (run.sessionId === sessionId) Object.assign(run, { isActive: false, isGone: true });
    this.sessions.delete(sessionId);
    return "ok";
  }

  begin(runId: string, sessionId: string): Outcome {
    const session = this.sessions.get(sessionId);
    if (session === undefined) return "SESSION_NOT_FOUND";
    const { active } = session;
    if (active !== undefined && this.now < active.expiresAt + this.leaseMs) return "SESSION_BUSY";
    if (active !== undefined) active.isActive = false;
    const run: ModelRun = { runId, sessionId, epoch: 0, attempts: 0, expiresAt: 0, isActive: false, isGone: false };
    this.runs.push(run);
    this.#give(session, run);
    return "ok";
  }

  /** Another runner takes a run that was begun before. */
  takeOver(run: ModelRun): "taken" | "not yet" | "ended" | "SESSION_NOT_FOUND" {
    const session = this.sessions.get(run.sessionId);
    if (run.isGone) return "SESSION_NOT_FOUND";
    if (!run.isActive || session === undefined) return "ended";
    if (this.now < run.expiresAt) return "not yet";
    this.#give(session, run);
    return "taken";
  }

  append(run: ModelRun, epoch: number, eventId: string): Outcome {
    const session = this.sessions.get(run.sessionId);
    if (session === undefined) return "SESSION_NOT_FOUND";
    if (!run.isActive || run.epoch !== epoch) return "LEASE_LOST";
    if (!session.eventIds.includes(eventId)) {
      session.eventIds.push(eventId);
      session.count += 1;
    }
    run.expiresAt = this.now + this.leaseMs;
    return "ok";
  }

  finish(run: ModelRun, epoch: number): Outcome {
    const session = this.sessions.get(run.sessionId);
    if (session === undefined) return "SESSION_NOT_FOUND";
    if (!run.isActive || run.epoch !== epoch) return "LEASE_LOST";
    run.isActive = false;
    session.active = undefined;
    return "ok";
  }

  #give(session: ModelSession, run: ModelRun): void {
    session.epoch += 1;
    session.active = run;
    Object.assign(run, {
      epoch: session.epoch,
      attempts: run.attempts + 1,
      expiresAt: this.now + this.leaseMs,
      isActive: true,
    });
  }
}
