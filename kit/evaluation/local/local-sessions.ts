import type { App } from "#kit/core/app.ts";
import type { Event } from "#kit/events/event.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { Runner } from "#kit/runs/runner.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { type EvalCase, TEST_USER } from "../eval-set.ts";
import type { CaseSession } from "../inference/run-and-evaluate.ts";
import type { StartTurn, TurnRecord } from "../inference/run-case.ts";
import { AgentRecorder } from "./agent-recorder.ts";
import { turnDurations } from "./turn-durations.ts";

/** Runs cases of an app in this process, each in a session of its own in memory. The app's plugins run too. */
export class LocalSessions {
  readonly #runner: Runner;
  readonly #ids: IdGenerator;
  readonly #recorder = new AgentRecorder();
  readonly #spans = new Map<string, readonly SpanRecord[]>();

  constructor(app: App, { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator }) {
    this.#ids = ids;
    this.#runner = new Runner({
      app,
      plugins: [this.#recorder],
      clock,
      ids,
      // The developer who evaluates the app reads its results.
      errorDetail: "full",
      onSpans: (session, spans) => void this.#spans.set(session.id, spans),
    });
  }

  async open({ sessionInput }: EvalCase): Promise<CaseSession> {
    const { userId = TEST_USER, state = {} } = sessionInput ?? {};
    const session = { userId, sessionId: `adk-eval-session-${this.#ids.next()}` };
    const { appName, sessionService } = this.#runner;
    await sessionService.createSession({ appName, userId, id: session.sessionId, state });
    return { ...session, startTurn: (turn) => this.#run(session, turn) };
  }

  async #run(session: Omit<CaseSession, "startTurn">, turn: Parameters<StartTurn>[0]): Promise<TurnRecord> {
    const events: Event[] = [];
    const request = { ...session, newMessage: turn.message, signal: turn.signal };
    try {
      for await (const event of this.#runner.runAsync(request)) events.push(event);
      const spans = this.#spans.get(session.sessionId) ?? [];
      return { events, appDetails: this.#recorder.agentsOf(session.sessionId), ...turnDurations(spans) };
    } finally {
      this.#spans.delete(session.sessionId);
      this.#recorder.forget(session.sessionId);
    }
  }
}
