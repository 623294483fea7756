/** The answer that a message asks for. */
export type Order =
  | { readonly kind: "small" }
  | { readonly kind: "fill"; readonly events: number }
  | {
      readonly kind: "text";
      readonly chunks: number;
      readonly characters: number;
      readonly pauseMs: number;
      /** Whether the complete answer is short, however long the stream was. */
      readonly brief?: true;
    };

const SMALL: Order = { kind: "small" };
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** The complete answer of a stream with `brief=1`. */
const MAX_BRIEF_CHUNKS = 100_000;
const MAX_EVENTS = 10_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Reads `n=` chunks, `d=` milliseconds before each, `s=` characters each, `brief=1`, `small=1`, `fill=` events. No
 * parameters mean `small=1`.
 */
export function readOrder(text: string): Order {
  const words = new Map<string, number>();
  for (const word of text.split(" ")) {
    const at = word.indexOf("=");
    const value = at > 0 ? Number(word.slice(at + 1)) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= 0) words.set(word.slice(0, at), value);
  }
  const fill = words.get("fill");
  if (fill !== undefined) return { kind: "fill", events: within(1, fill, MAX_EVENTS) };
  if (words.get("small") === 1 || !["n", "d", "s"].some((word) => words.has(word))) return SMALL;
  const characters = within(1, words.get("s") ?? 20, MAX_CHARACTERS);
  const brief = words.get("brief") === 1;
  const most = brief ? MAX_BRIEF_CHUNKS : Math.floor(MAX_CHARACTERS / characters);
  const chunks = within(1, words.get("n") ?? 1, most);
  const pauseMs = within(0, words.get("d") ?? 0, MAX_PAUSE_MS);
  return { kind: "text", chunks, characters, pauseMs, brief: brief || undefined };
}

function within(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
