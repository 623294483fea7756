import { createHash } from "node:crypto";
import type { LoadedApp, RevisionShare } from "#kit/definitions/loaders/agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { RunnerDeps } from "../deps.ts";
import { type RevisionQuestions, toSubject } from "./revision-questions.ts";

export type SpreadParts = Pick<RunnerDeps, "agentLoader" | "runNotifications" | "clock" | "logger" | "config">;

/** Versions that new sessions get, and the list that they are from. */
interface UsedShares {
  readonly listed: readonly RevisionShare[];
  /** Those with a weight that this runner has loaded. */
  readonly usable: readonly RevisionShare[];
}

/**
 * The versions of apps that are served side by side: which one a new session gets. A version that cannot be loaded here
 * gets no session. One that is new on the list gets sessions when no runner reports it missing, so that all runners give
 * a session the same one.
 */
export class RevisionSpread {
  readonly #parts: SpreadParts;
  readonly #questions: RevisionQuestions | undefined;
  readonly #used = new Map<string, UsedShares>();
  /** The first list of an app is being loaded. */
  readonly #first = new Map<string, Promise<UsedShares>>();
  readonly #settling = new Set<string>();
  /** The logged faults of versions that cannot be loaded. */
  readonly #faults = new Map<string, string>();

  constructor(parts: SpreadParts, questions: RevisionQuestions | undefined) {
    this.#parts = parts;
    this.#questions = questions;
  }

  /** Begins to use new lists that no request has asked for yet, and versions that can be loaded by now. Never throws. */
  async check(): Promise<void> {
    for (const [appName, used] of this.#used) {
      const listed = this.#parts.agentLoader.sharesOf?.(appName);
      if (listed === undefined) this.#used.delete(appName);
      else if (listed !== used.listed) await this.#settle(appName, listed, used);
      else if (used.usable.length < weighted(listed).length) this.#used.set(appName, await this.#load(appName, listed));
    }
  }

  /** The versions that new sessions get at present. */
  usedOf(appName: string): readonly RevisionShare[] {
    return this.#used.get(appName)?.usable ?? [];
  }

  /** The version that a session without one gets. Throws as `AgentLoader.loadAgent` if none can be loaded. */
  async choose(appName: string, listed: readonly RevisionShare[], sessionId: string): Promise<LoadedApp> {
    const used = this.#used.get(appName) ?? (await this.#begin(appName, listed));
    if (used.listed !== listed) void this.#settle(appName, listed, used);
    const share = chooseShare(used.usable, sessionId);
    const loaded = share && (await this.#parts.agentLoader.findRevision?.(appName, share.agentRevision));
    // Without any usable version, the loader says why.
    return loaded ?? this.#parts.agentLoader.loadAgent(appName);
  }

  /** Uses the list of the loader now. */
  async adopt(appName: string): Promise<void> {
    const listed = this.#parts.agentLoader.sharesOf?.(appName);
    const used = this.#used.get(appName);
    if (listed === undefined || used === undefined || used.listed === listed) return;
    const { usable } = await this.#load(appName, listed);
    if (usable.length > 0 || used.usable.length === 0) this.#used.set(appName, { listed, usable });
  }

  #begin(appName: string, listed: readonly RevisionShare[]): Promise<UsedShares> {
    let first = this.#first.get(appName);
    if (first === undefined) {
      first = this.#load(appName, listed).then((used) => {
        this.#used.set(appName, used);
        return used;
      });
      this.#first.set(appName, first);
      void first.finally(() => this.#first.delete(appName)).catch(() => undefined);
    }
    return first;
  }

  async #settle(appName: string, listed: readonly RevisionShare[], used: UsedShares): Promise<void> {
    if (this.#settling.has(appName)) return;
    this.#settling.add(appName);
    const { clock, config, runNotifications } = this.#parts;
    const until = clock.monotonic() + config.AGENT_REVISION_SETTLE_MS;
    try {
      const { usable } = await this.#load(appName, listed);
      if (usable.length === 0) return;
      const added = usable.filter(
        ({ agentRevision }) => !used.usable.some((old) => old.agentRevision === agentRevision),
      );
      for (const { agentRevision } of added)
        if ((await this.#questions?.isLackedAt(toSubject(appName, agentRevision), until)) === true)
          this.#parts.logger.warn(
            { appName, agentRevision },
            "A version of an app gets sessions although a runner has not loaded it.",
          );
      // All runners begin at almost the same time.
      const [{ agentRevision } = { agentRevision: "" }] = usable;
      runNotifications?.notify({ kind: "revision-used", runId: toSubject(appName, agentRevision) });
      await this.adopt(appName);
    } catch (error) {
      this.#parts.logger.error(
        { error, appName },
        "The list of an app's versions cannot be used, and the last one stays.",
      );
    } finally {
      this.#settling.delete(appName);
    }
  }

  async #load(appName: string, listed: readonly RevisionShare[]): Promise<UsedShares> {
    const usable: RevisionShare[] = [];
    for (const share of weighted(listed)) if (await this.#isLoaded(appName, share)) usable.push(share);
    return { listed, usable };
  }

  async #isLoaded(appName: string, { agentRevision }: RevisionShare): Promise<boolean> {
    const { agentLoader, logger } = this.#parts;
    const subject = toSubject(appName, agentRevision);
    try {
      const loaded = await agentLoader.findRevision?.(appName, agentRevision);
      this.#faults.delete(subject);
      return loaded !== undefined;
    } catch (error) {
      const reason = error instanceof PlatformError ? error.message : "it cannot be loaded.";
      if (this.#faults.get(subject) !== reason)
        logger.error({ appName, agentRevision, error }, `A version of an app gets no sessions here: ${reason}`);
      this.#faults.set(subject, reason);
      return false;
    }
  }
}

function weighted(shares: readonly RevisionShare[]): readonly RevisionShare[] {
  return shares.filter(({ weight }) => weight > 0);
}

/**
 * The version that a new session gets: the same on each runner, with a chance of its weight over the sum of all weights.
 * Undefined if no version has a weight.
 */
export function chooseShare(shares: readonly RevisionShare[], sessionId: string): RevisionShare | undefined {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return undefined;
  // Ids can be in an order, and digests are not.
  let place = createHash("sha256").update(sessionId).digest().readUInt32BE(0) % total;
  return shares.find(({ weight }) => {
    place -= weight;
    return place < 0;
  });
}
