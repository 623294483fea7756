/** Converts texts to vectors. Texts with similar meanings get vectors that are close to each other. */
export interface Embedder {
  /** The name of the model; vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * One vector for each text, all of one length. `query`: the text searches for others; `document`: the text is
   * searched for.
   */
  embed(texts: readonly string[], kind: "document" | "query"): Promise<readonly (readonly number[])[]>;
}
