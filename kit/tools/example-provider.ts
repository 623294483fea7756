import type { Content } from "../events/content.ts";

/** An example of a good answer. */
export interface Example {
  readonly input: Content;
  /** The answer, including calls and their responses. */
  readonly output: readonly Content[];
}

/** Finds examples for the user's message. */
export interface BaseExampleProvider {
  getExamples(query: string): readonly Example[] | Promise<readonly Example[]>;
}
