import type { Content } from "../events/content.ts";

/** What a good answer looks like. */
export interface Example {
  readonly input: Content;
  /** What follows, calls and their answers included. */
  readonly output: readonly Content[];
}

/** Finds examples for what the user asks. */
export interface BaseExampleProvider {
  getExamples(query: string): readonly Example[] | Promise<readonly Example[]>;
}
