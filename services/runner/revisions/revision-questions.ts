import type { Clock } from "#kit/platform/clock.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunNotifications } from "#ports/runs/run-notifications.ts";

/** An answer to the question who has an agent revision: a runner uses it, or a runner with the app has not loaded it. */
export type RevisionAnswer = "revision-held" | "revision-missing";

/** How long an answer is waited for: a user waits for the first, and nobody for the second. */
const ANSWER_MS = { "revision-held": 400, "revision-missing": 1_000 } as const;
/** Pause between two questions to the other runners, which read their files every two seconds. */
const ASK_AGAIN_MS = 500;
/** A busy runner answers late: so many questions in a row that no runner answers show that none lacks a version. */
const SILENT_QUESTIONS = 2;

/** Questions to the other runners about agent revisions. A runner that does not answer in time is not waited for. */
export class RevisionQuestions implements Disposable {
  readonly #notifications: RunNotifications;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, PromiseWithResolvers<boolean>>();
  #isDisposed = false;

  constructor(notifications: RunNotifications, clock: Clock) {
    this.#notifications = notifications;
    this.#clock = clock;
  }

  /**
   * Asks until no runner reports the version missing, or until a time of the monotonic clock: then one of them still
   * lacks it, and the answer is true.
   */
  async isLackedAt(subject: string, until: number): Promise<boolean> {
    for (let silent = 0; silent < SILENT_QUESTIONS && !this.#isDisposed; silent += 1) {
      if (!(await this.ask(subject, "revision-missing"))) continue;
      if (this.#clock.monotonic() >= until) return true;
      silent = -1;
      await sleep(ASK_AGAIN_MS);
    }
    return false;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
  }

  /** Whether a runner gives this answer. Concurrent questions share one. */
  async ask(subject: string, answer: RevisionAnswer): Promise<boolean> {
    const name = `${answer} ${subject}`;
    const known = this.#waiting.get(name);
    if (known !== undefined) return known.promise;
    const question = Promise.withResolvers<boolean>();
    this.#waiting.set(name, question);
    this.#notifications.notify({ kind: "revision-asked", runId: subject });
    void sleep(ANSWER_MS[answer]).then(() => question.resolve(false));
    return question.promise.finally(() => this.#waiting.delete(name));
  }

  answered(subject: string, answer: RevisionAnswer): void {
    this.#waiting.get(`${answer} ${subject}`)?.resolve(true);
  }
}

/** The name of an app's agent revision in notifications. */
export function toSubject(appName: string, agentRevision: string): string {
  return `${appName}@${agentRevision}`;
}

export function fromSubject(subject: string): { readonly appName: string; readonly agentRevision: string } {
  const at = subject.lastIndexOf("@");
  return { appName: subject.slice(0, Math.max(at, 0)), agentRevision: subject.slice(at + 1) };
}
