/** The figures of one scenario; names carry the unit. */
export type Figures = Readonly<Record<string, number>>;

/** A server under test: one process, or several whose figures are added. */
export interface MeasuredServer {
  readonly url: string;
  /** Time from its start until its first answer. */
  readonly readyMs: number;
  /** Where it keeps its data; undefined if not in a folder that the client can write to. */
  readonly dataFolder?: string | undefined;
  /** User and system time so far, all threads, in microseconds. */
  cpuMicros(): number;
  residentMegabytes(): number;
}

export interface Scenario {
  readonly name: string;
  /** Fresh servers for each round, because one start gives one sample; absent means one. */
  readonly startsPerRound?: number;
  /** Runs against a fresh server. */
  readonly measure: (server: MeasuredServer) => Promise<Figures>;
}

/** Connections of the scenarios with many users. */
export const CONNECTIONS = 50;
export const TURNS_PER_SESSION = 4;
