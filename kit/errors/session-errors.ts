import { PlatformError } from "./platform-error.ts";

/**
 * Names a session: the triple that every store keys by. Declared structurally here because this folder imports no
 * other.
 */
interface Key {
  readonly appName: string;
  readonly userId: string;
  readonly id: string;
}

/** A failure that concerns a session or its runs; the base of the errors below. */
export class SessionError extends PlatformError {}

/** The app and user have no session of that id: `SESSION_NOT_FOUND`. */
export class SessionNotFoundError extends SessionError {
  constructor(key: Key) {
    super("SESSION_NOT_FOUND", `Session not found: ${key.id}`, { details: { sessionId: key.id } });
  }
}

/** The app and user already have a session of that id: `SESSION_ALREADY_EXISTS`. */
export class SessionAlreadyExistsError extends SessionError {
  constructor(key: Key) {
    super("SESSION_ALREADY_EXISTS", `Session already exists: ${key.id}`, { details: { sessionId: key.id } });
  }
}

export class SessionClosedError extends SessionError {
  constructor(key: Key) {
    super("SESSION_CLOSED", `Session is closed: ${key.id}. Create a new session.`, { details: { sessionId: key.id } });
  }
}

/** Another run holds the session and the caller's policy is `reject`. */
export class SessionBusyError extends SessionError {
  constructor(key: Key, runId: string) {
    super(
      "SESSION_BUSY",
      `Session ${key.id} is busy with run ${runId}. Wait for it, cancel it, or use policy enqueue.`,
      {
        details: { sessionId: key.id, runId },
      },
    );
  }
}

/**
 * The writer's epoch is old, or the store was unavailable for so long that the lease may have expired. Another holder
 * owns the run or will own it; the writer must stop.
 */
export class LeaseLostError extends SessionError {
  constructor(runId: string, cause?: unknown) {
    super("LEASE_LOST", `Run ${runId} is held by another runner; this write was refused.`, { details: { runId } });
    if (cause !== undefined) this.cause = cause;
  }
}

/** The run, or its session, is on another agent revision than the caller's: see `BeginRunRequest.agentRevision`. */
export class AgentRevisionDiffersError extends SessionError {
  constructor(agentRevision: string) {
    super("AGENT_REVISION_DIFFERS", `The session is on the agent revision ${agentRevision}.`, {
      details: { agentRevision },
    });
  }
}

export class RunNotFoundError extends SessionError {
  constructor(runId: string) {
    super("RUN_NOT_FOUND", `Run not found: ${runId}`, { details: { runId } });
  }
}
