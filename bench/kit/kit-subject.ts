/** One kit as a library, in memory, with the scripted agent that both kits have: what a measurement can do with it. */
export interface KitSubject {
  /** A session with so many events: short messages and answers in turn. */
  readonly createSession: (id: string, events: number) => Promise<void>;
  readonly deleteSession: (id: string) => Promise<void>;
  /** One turn, read to its end; returns how many events it gave. */
  readonly turn: (id: string, words: string, streaming: boolean) => Promise<number>;
}

/** What the scripted model reads from the user's words, such as `tools=8` or `pieces=1000`. */
export interface KitOrder {
  readonly tools: number;
  readonly pieces: number;
}

export function readKitOrder(text: string): KitOrder {
  const words = new Map(text.split(" ").map((word) => word.split("=", 2) as [string, string | undefined]));
  return { tools: Number(words.get("tools") ?? 0), pieces: Number(words.get("pieces") ?? 0) };
}
