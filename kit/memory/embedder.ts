/** Turns texts into vectors whose closeness is closeness of meaning. */
export interface Embedder {
  /** The name of the model; vectors of different models cannot be compared. */
  readonly model: string;
  /** One vector for each text, all of one length. `query`: the text looks for others; `document`: it is looked for. */
  embed(texts: readonly string[], kind: "document" | "query"): Promise<readonly (readonly number[])[]>;
}
