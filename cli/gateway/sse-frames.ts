/** One server-sent event of a Fairlead server. */
export interface SseFrame {
  /** `message` if it has no name. */
  readonly event: string;
  readonly data: string;
  /** Where to continue after it; undefined if it has no id. */
  readonly id: string | undefined;
}

/** More than any frame of the routes that are read. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** The events of a stream of text as Fairlead's servers write it: with line feeds. Comments are left out. */
export async function* sseFrames(chunks: AsyncIterable<string>): AsyncGenerator<SseFrame> {
  let rest = "";
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    if (rest.length > MAX_CHARACTERS) throw new RangeError("An event of the server is too large.");
    for (const block of blocks) {
      const frame = toFrame(block);
      if (frame !== undefined) yield frame;
    }
  }
}

function toFrame(block: string): SseFrame | undefined {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [name, value = ""] = line.split(/: ?(.*)/s);
    if (name === "event") event = value;
    if (name === "id") id = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n"), id };
}
