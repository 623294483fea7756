import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { App } from "#kit/core/app.ts";
import type { LoadedApp } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import type { RunnerDeps } from "../deps.ts";
import { fromSubject, RevisionQuestions, toSubject } from "./revision-questions.ts";

type RevisionParts = Pick<RunnerDeps, "agentLoader" | "runNotifications" | "clock" | "logger" | "config">;

/** The version of its app that a run begins with here, or the reason why it is left to other runners. */
export interface RevisionPlace {
  readonly loaded: LoadedApp;
  /** The run or its session moves from this agent revision to the loaded one. */
  readonly movesFrom?: string | undefined;
  /** Another runner has this agent revision, and gets the run. */
  readonly leftFor?: string | undefined;
}

/** The versions of one app that a runner has. */
export interface AppState {
  readonly name: string;
  /** The newest that is loaded. */
  readonly agentRevision?: string | undefined;
  /** The one that new turns get, if it is another: the other runners have not loaded the newest. */
  readonly used?: string | undefined;
  /** Why no version could be loaded. */
  readonly fault?: string;
}

/** The most apps of one answer. */
const MAX_APPS = 1_000;
/** How often the newest versions are compared with those in use. */
const CHECK_MS = 1_000;
/** Pause between two questions to the other runners, which read their files every two seconds. */
const ASK_AGAIN_MS = 500;
/** A notification that has not arrived by then is lost. */
const NOTIFIED_MS = 100;
/** So many questions in a row that no runner answers show that none lacks a version. */
const SILENT_QUESTIONS = 2;
/** How long an answer about another runner's agent revision is used. */
const ANSWER_AGE_MS = 10_000;
const MAX_ANSWERS = 1_000;

/**
 * Chooses the version of each app that new turns get on this runner.
 *
 * Runners load a changed app at different times, for their copies of its files arrive at different times. So that users
 * do not get the old and the new one in turn, a runner that has loaded a new agent revision continues to use the one
 * before until each runner that answers has loaded the new one, but at most for `AGENT_REVISION_SETTLE_MS`. A runner
 * without others uses the newest immediately.
 *
 * The former version stays loaded for a while: runs that began on it end on it (`find`). A session moves with its next
 * turn (`place`), and not before.
 */
export class AgentRevisions implements Disposable {
  readonly #parts: RevisionParts;
  /** The versions that new turns get. The keys are names of apps that were loaded. */
  readonly #active = new Map<string, LoadedApp>();
  /** The agent revisions that wait for the other runners, by app. */
  readonly #settling = new Map<string, string>();
  readonly #questions: RevisionQuestions | undefined;
  /** Whether another runner uses an agent revision, by its subject. */
  readonly #elsewhere = new BoundedCache<{ readonly isHeld: boolean; readonly until: number }>(MAX_ANSWERS);
  readonly #subscription: Disposable | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(parts: RevisionParts) {
    this.#parts = parts;
    const { runNotifications } = parts;
    if (runNotifications === undefined) return;
    this.#questions = new RevisionQuestions(runNotifications);
    this.#subscription = runNotifications.onNotify((notification) => void this.#handle(notification));
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  /** The version that a new turn gets. Throws as `AgentLoader.loadAgent`. */
  async active(appName: string): Promise<LoadedApp> {
    const newest = await this.#parts.agentLoader.loadAgent(appName);
    const current = this.#active.get(appName);
    if (current === newest) return newest;
    const { agentRevision } = newest;
    const isNew = current !== undefined && agentRevision !== undefined && current.agentRevision !== agentRevision;
    if (!isNew || current.agentRevision === undefined || this.#questions === undefined) return this.#use(newest);
    void this.#settle(newest, this.#questions);
    return current;
  }

  /** The app at an agent revision, if it is loaded here. Without known revisions each version can execute each run. */
  async find(appName: string, agentRevision: string): Promise<LoadedApp | undefined> {
    const active = await this.active(appName);
    if (active.agentRevision === undefined || active.agentRevision === agentRevision) return active;
    return this.#parts.agentLoader.findRevision?.(appName, agentRevision);
  }

  /** Whether the app may be asked for again, so that it stays open without runs. */
  keeps(app: App): boolean {
    const { agentLoader } = this.#parts;
    return this.#active.get(app.name)?.app === app || agentLoader.keeps?.(app) === true;
  }

  /**
   * Where the next turn of a session goes that is on `current`, which is not the active version here: to the newest
   * version, if that is `current`, to another runner that uses `current`, or on to this runner's active version.
   * `staysHere`: the run cannot be left to another runner.
   */
  async place(appName: string, current: string, staysHere = false): Promise<RevisionPlace> {
    const { agentLoader } = this.#parts;
    const newest = await agentLoader.loadAgent(appName);
    // The session began on a runner that uses it already; other new turns here wait until all runners have it.
    if (newest.agentRevision === current) return { loaded: newest };
    const loaded = await this.active(appName);
    if (loaded.agentRevision === current) return { loaded };
    // What is still loaded here was replaced here, after all runners had its successor.
    const isReplaced = (await agentLoader.findRevision?.(appName, current)) !== undefined;
    if (!isReplaced && !staysHere && (await this.#isElsewhere(toSubject(appName, current))))
      return { loaded, leftFor: current };
    return { loaded, movesFrom: current };
  }

  /** Loads the apps that no request has asked for yet. */
  async read(): Promise<readonly AppState[]> {
    const names = (await this.#parts.agentLoader.listAgents()).slice(0, MAX_APPS);
    const states: AppState[] = [];
    // One after another: the files of hundreds of apps are not read together.
    for (const name of names) states.push(await this.#stateOf(name));
    return states;
  }

  async #stateOf(name: string): Promise<AppState> {
    try {
      const used = (await this.active(name)).agentRevision;
      const { agentRevision } = await this.#parts.agentLoader.loadAgent(name);
      return used === agentRevision ? { name, agentRevision } : { name, agentRevision, used };
    } catch (error) {
      return { name, fault: error instanceof PlatformError ? error.message : "The app cannot be loaded." };
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearInterval(this.#timer);
    this.#subscription?.[Symbol.dispose]();
  }

  #use(loaded: LoadedApp): LoadedApp {
    this.#active.set(loaded.name, loaded);
    return loaded;
  }

  /** Begins to use new versions that no request has asked for yet. */
  async #check(): Promise<void> {
    for (const appName of this.#active.keys()) {
      // A removed or broken app is reported by its loader.
      await this.active(appName).catch(() => this.#active.delete(appName));
    }
  }

  async #settle({ name, agentRevision = "" }: LoadedApp, questions: RevisionQuestions): Promise<void> {
    if (this.#settling.has(name)) return;
    this.#settling.set(name, agentRevision);
    const { clock, config, logger } = this.#parts;
    const subject = toSubject(name, agentRevision);
    const until = clock.monotonic() + config.AGENT_REVISION_SETTLE_MS;
    try {
      let isMissing = false;
      // A busy runner answers late: one question without an answer proves nothing.
      for (let silent = 0; silent < SILENT_QUESTIONS && !this.#isDisposed; silent += 1) {
        isMissing = await questions.ask(subject, "revision-missing");
        if (!isMissing) continue;
        if (clock.monotonic() >= until) break;
        silent = -1;
        await sleep(ASK_AGAIN_MS);
      }
      const fields = { appName: name, agentRevision };
      if (isMissing) logger.warn(fields, "A new version of an app is used although a runner has not loaded it.");
      else logger.info(fields, "All runners have loaded the new version of an app, and use it from now on.");
      // Each runner, this one too, begins to use it when it receives the notification, so at almost the same time.
      this.#parts.runNotifications?.notify({ kind: "revision-used", runId: subject });
      await sleep(NOTIFIED_MS);
      await this.#adopt(name, agentRevision);
    } finally {
      this.#settling.delete(name);
    }
  }

  /** Uses the agent revision if it is the newest that is loaded here. */
  async #adopt(appName: string, agentRevision: string): Promise<void> {
    const newest = await this.#parts.agentLoader.loadAgent(appName).catch(() => undefined);
    if (newest?.agentRevision === agentRevision) this.#use(newest);
  }

  async #isElsewhere(subject: string): Promise<boolean> {
    const now = this.#parts.clock.monotonic();
    const known = this.#elsewhere.get(subject);
    if (known !== undefined && now < known.until) return known.isHeld;
    const isHeld = (await this.#questions?.ask(subject, "revision-held")) ?? false;
    this.#elsewhere.set(subject, { isHeld, until: now + ANSWER_AGE_MS });
    return isHeld;
  }

  /** Answers the questions of other runners. Never throws. */
  async #handle({ kind, runId: subject }: RunNotification): Promise<void> {
    if (kind === "revision-held" || kind === "revision-missing") this.#questions?.answered(subject, kind);
    if (kind !== "revision-asked" && kind !== "revision-used") return;
    const { appName, agentRevision } = fromSubject(subject);
    if (kind === "revision-used") return this.#adopt(appName, agentRevision);
    try {
      await this.#answer(appName, agentRevision);
    } catch (error) {
      // A runner that does not have the app is not asked.
      this.#parts.logger.debug({ error, appName }, "a question about an agent revision is not answered");
    }
  }

  async #answer(appName: string, agentRevision: string): Promise<void> {
    const { agentLoader, runNotifications } = this.#parts;
    const runId = toSubject(appName, agentRevision);
    const find = async (): Promise<LoadedApp | undefined> => {
      const newest = await agentLoader.loadAgent(appName);
      if (newest.agentRevision === agentRevision) return newest;
      return agentLoader.findRevision?.(appName, agentRevision);
    };
    if ((await find()) === undefined) {
      // Before the files are read, which can take longer than the question waits.
      runNotifications?.notify({ kind: "revision-missing", runId });
      await agentLoader.refresh?.();
      return;
    }
    const active = await this.active(appName);
    if (active.agentRevision === agentRevision) runNotifications?.notify({ kind: "revision-held", runId });
  }
}
