export interface BenchOptions {
  readonly rounds: number;
  /** Runs only the scenarios whose name contains this text. */
  readonly only: string | undefined;
}
