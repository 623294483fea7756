import type { Embedder } from "#kit/memory/embedder.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";

/** Texts at larger angles are unrelated. */
export const MAX_COSINE_DISTANCE = 0.5;
/** Longer texts are cut before they are embedded: models read no more. */
const MAX_EMBEDDED_LENGTH = 8_000;
/** The most numbers of a vector that databases compare. */
const MAX_DIMENSIONS = 16_000;

/** Embeds the texts and queries of a store. If the embedder fails, only the search by meaning is missing. */
export class MeaningEmbedder {
  readonly #embedder: Embedder;
  readonly #logger: Logger;

  constructor(embedder: Embedder, logger: Logger = silentLogger) {
    this.#embedder = embedder;
    this.#logger = logger;
  }

  /** The name of the model; vectors of different models cannot be compared. */
  get model(): string {
    return this.#embedder.model;
  }

  /** An element is undefined for a text without words; the result is empty if the embedder fails. */
  async embed(
    texts: readonly string[],
    kind: "document" | "query",
  ): Promise<readonly (readonly number[] | undefined)[]> {
    const worded = texts.filter((text) => text.trim() !== "").map((text) => text.slice(0, MAX_EMBEDDED_LENGTH));
    if (worded.length === 0) return [];
    try {
      const found = await this.#embedder.embed(worded, kind);
      if (!areVectors(found, worded.length)) throw new Error("It must return one vector of numbers for each text.");
      const vectors = found.values();
      return texts.map((text) => (text.trim() === "" ? undefined : vectors.next().value));
    } catch (error) {
      this.#logger.warn(
        { error, model: this.#embedder.model },
        "memory is kept and searched by words alone: the embedder failed",
      );
      return [];
    }
  }
}

/** Databases keep numbers of 32 bits, and compare vectors of one length. */
function areVectors(vectors: readonly (readonly number[])[], count: number): boolean {
  const dimensions = vectors[0]?.length ?? 0;
  const isVector = (vector: readonly number[]) =>
    vector.length === dimensions && vector.every((number) => Number.isFinite(Math.fround(number)));
  return vectors.length === count && dimensions > 0 && dimensions <= MAX_DIMENSIONS && vectors.every(isVector);
}

/**
 * Joins what was found by words and by meaning, best first. Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009,
 * k = 60): uses the ranks in both lists and not their scores, which are not comparable.
 */
export function mergeRanks<Key>(byWords: readonly Key[], byMeaning: readonly Key[]): readonly Key[] {
  if (byMeaning.length === 0) return byWords;
  const scores = new Map<Key, number>();
  for (const list of [byWords, byMeaning]) {
    for (const [index, key] of list.entries()) scores.set(key, (scores.get(key) ?? 0) + 1 / (60 + index));
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([key]) => key);
}
