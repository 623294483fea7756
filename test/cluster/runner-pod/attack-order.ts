import type { Target } from "#test/helpers/security/hostile-requests.ts";

/** What an attacker in a runner's pod knows and wants, besides what it finds there. */
export interface AttackOrder {
  /** The run that the runner executes, with the texts that the gateway sent for it. */
  readonly own: OwnRun;
  readonly victims: readonly Target[];
  /** Is in everything that the victims have, and nowhere else. */
  readonly secret: string;
  /** Addresses of the services that the environment does not name, as `HOST:PORT`. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Keys of Redis that the runner's user may not use; without them Redis is left alone. */
  readonly foreignKeys?: readonly string[];
}

export interface OwnRun {
  readonly session: Target["session"];
  readonly runId: string;
  /** Is in the session's events. */
  readonly mark: string;
  /** The signed principals of its start and of its cancellation. */
  readonly start: string;
  readonly cancel: string;
}

export interface AttackSummary {
  /** Each call and command that reached what it must not, with its answer. */
  readonly reached: readonly string[];
  readonly calls: number;
  readonly commands: number;
  /** Services to which no connection opened; their calls are not counted. */
  readonly unreachable: readonly string[];
  /** What the same means reached of its own run, in words. */
  readonly own: readonly string[];
}
