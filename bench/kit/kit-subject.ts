/** One kit as a library, in memory, with the scripted agent that both kits have, as measurements use it. */
export interface KitSubject {
  /** Creates a session with so many events: short messages and answers in turn. */
  readonly createSession: (id: string, events: number) => Promise<void>;
  readonly deleteSession: (id: string) => Promise<void>;
  /** Runs one turn to its end; returns the number of its events. */
  readonly turn: (id: string, words: string, streaming: boolean) => Promise<number>;
}

/** Parameters that the scripted model reads from the user's message, such as `tools=8` or `chunks=1000`. */
export interface KitOrder {
  readonly tools: number;
  readonly chunks: number;
}

export function readKitOrder(text: string): KitOrder {
  const words = new Map(text.split(" ").map((word) => word.split("=", 2) as [string, string | undefined]));
  return { tools: Number(words.get("tools") ?? 0), chunks: Number(words.get("chunks") ?? 0) };
}
