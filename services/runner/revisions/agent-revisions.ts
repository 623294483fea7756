import { BoundedCache } from "#kit/cache/bounded-cache.ts";
import type { App } from "#kit/core/app.ts";
import type { LoadedApp, RevisionShare } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RunNotification } from "#ports/runs/run-notifications.ts";
import type { RunnerDeps } from "../deps.ts";
import { fromSubject, RevisionQuestions, toSubject } from "./revision-questions.ts";
import { RevisionSpread } from "./revision-spread.ts";

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
  /** Of an indexed app, the versions that new sessions get. */
  readonly shares?: readonly Pick<RevisionShare, "agentRevision" | "weight">[];
  /** Why no version could be loaded. */
  readonly fault?: string;
}

/** The most apps of one answer. */
const MAX_APPS = 1_000;
/** How often the newest versions are compared with those in use. */
const CHECK_MS = 1_000;
/** A notification that has not arrived by then is lost. */
const NOTIFIED_MS = 100;
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
  readonly #spread: RevisionSpread;
  /** Whether another runner uses an agent revision, by its subject. */
  readonly #elsewhere = new BoundedCache<{ readonly isHeld: boolean; readonly until: number }>(MAX_ANSWERS);
  readonly #subscription: Disposable | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(parts: RevisionParts) {
    this.#parts = parts;
    const { runNotifications, clock, agentLoader } = parts;
    this.#questions = runNotifications && new RevisionQuestions(runNotifications, clock);
    this.#spread = new RevisionSpread(parts, this.#questions);
    // A runner without others uses what is new with the next turn.
    if (runNotifications === undefined && agentLoader.sharesOf === undefined) return;
    this.#subscription = runNotifications?.onNotify((notification) => void this.#handle(notification));
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  /** The version that a new turn gets; of an indexed app, the first turn of this session. Throws as `AgentLoader.loadAgent`. */
  async active(appName: string, sessionId?: string): Promise<LoadedApp> {
    const shares = this.#parts.agentLoader.sharesOf?.(appName);
    if (shares !== undefined && sessionId !== undefined) return this.#spread.choose(appName, shares, sessionId);
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
    const { agentLoader } = this.#parts;
    if (agentLoader.sharesOf?.(appName) !== undefined) return agentLoader.findRevision?.(appName, agentRevision);
    const active = await this.active(appName);
    if (active.agentRevision === undefined || active.agentRevision === agentRevision) return active;
    return agentLoader.findRevision?.(appName, agentRevision);
  }

  /** Whether the app may be asked for again, so that it stays open without runs. */
  keeps(app: App): boolean {
    const { agentLoader } = this.#parts;
    return this.#active.get(app.name)?.app === app || agentLoader.keeps?.(app) === true;
  }

  /**
   * Where the next turn of a session goes that is on `current`, which is not the active version here: to the newest
   * version, if that is `current`, to another runner that uses `current`, or on to this runner's active version.
   * A session of an indexed app stays on its version as long as the index lists it. `staysHere`: the run cannot be left
   * to another runner.
   */
  async place({ appName, id }: SessionKey, current: string, staysHere = false): Promise<RevisionPlace> {
    const { agentLoader } = this.#parts;
    const shares = agentLoader.sharesOf?.(appName);
    if (shares !== undefined) {
      const own = shares.find(({ agentRevision }) => agentRevision === current);
      const stays = own?.isRetired === false ? await agentLoader.findRevision?.(appName, current) : undefined;
      if (stays !== undefined) return { loaded: stays };
      const loaded = await this.#spread.choose(appName, shares, id);
      // An index that another runner has read already can list it.
      const isElsewhere = own === undefined && !staysHere && (await this.#isElsewhere(toSubject(appName, current)));
      return isElsewhere ? { loaded, leftFor: current } : { loaded, movesFrom: current };
    }
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
      if (this.#parts.agentLoader.sharesOf?.(name) !== undefined) {
        const { agentRevision } = await this.active(name, "");
        const shares = this.#spread.usedOf(name).map(({ agentRevision, weight }) => ({ agentRevision, weight }));
        return { name, agentRevision, shares };
      }
      const used = (await this.active(name)).agentRevision;
      const { agentRevision } = await this.#parts.agentLoader.loadAgent(name);
      return used === agentRevision ? { name, agentRevision } : { name, agentRevision, used };
    } catch (error) {
      return { name, fault: error instanceof PlatformError ? error.message : "The app cannot be loaded." };
    }
  }

  [Symbol.dispose](): void {
    this.#questions?.[Symbol.dispose]();
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
    await this.#spread.check();
  }

  async #settle({ name, agentRevision = "" }: LoadedApp, questions: RevisionQuestions): Promise<void> {
    if (this.#settling.has(name)) return;
    this.#settling.set(name, agentRevision);
    const { clock, config, logger } = this.#parts;
    const subject = toSubject(name, agentRevision);
    const until = clock.monotonic() + config.AGENT_REVISION_SETTLE_MS;
    try {
      const isMissing = await questions.isLackedAt(subject, until);
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
    await this.#spread.adopt(appName);
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
    const isSpread = this.#spread.usedOf(appName).some((share) => share.agentRevision === agentRevision);
    const active = await this.active(appName);
    if (isSpread || active.agentRevision === agentRevision) runNotifications?.notify({ kind: "revision-held", runId });
  }
}
