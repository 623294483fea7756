import { sleep } from "#kit/platform/sleep.ts";
import type { RunNotifications } from "#ports/runs/run-notifications.ts";

/** An answer to the question who has an agent revision: a runner uses it, or a runner with the app has not loaded it. */
export type RevisionAnswer = "revision-held" | "revision-missing";

/** How long an answer is waited for: a user waits for the first, and nobody for the second. */
const ANSWER_MS = { "revision-held": 400, "revision-missing": 1_000 } as const;

/** Questions to the other runners about agent revisions. A runner that does not answer in time is not waited for. */
export class RevisionQuestions {
  readonly #notifications: RunNotifications;
  readonly #waiting = new Map<string, PromiseWithResolvers<boolean>>();

  constructor(notifications: RunNotifications) {
    this.#notifications = notifications;
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
