import type { Frame, WireEvent } from "./checks/recorder.ts";

/** Parses server-sent events as they arrive. */
export class SseFrames {
  #rest = "";

  add(text: string): readonly Frame[] {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map((block) => this.#take(fieldsOf(block))).filter((frame) => frame !== undefined);
  }

  #take(fields: Fields): Frame | undefined {
    const data = fields.get("data");
    return data === undefined ? undefined : toFrame(data, fields);
  }
}

type Fields = ReadonlyMap<string, string>;

function fieldsOf(block: string): Fields {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [name = "", value = ""] = line.split(/: (.*)/s);
    if (name !== "") fields.set(name, value);
  }
  return fields;
}

function toFrame(data: string, fields: Fields): Frame {
  const at = performance.now();
  // The server's own frames.
  const body = JSON.parse(data) as WireEvent & {
    readonly attempt?: number;
    readonly status?: string;
    readonly error?: string;
    readonly error_details?: { readonly error_type: string };
  };
  const name = fields.get("event");
  if (name === "attempt") return { at, kind: "attempt", attempt: body.attempt ?? 0 };
  if (name === "resync") return { at, kind: "resync" };
  if (name === "end") return { at, kind: "end", status: body.status ?? "" };
  if (body.error !== undefined) return { at, kind: "error", reason: body.error_details?.error_type ?? body.error };
  const cursor = fields.get("id");
  return { at, kind: "event", event: body, ...(cursor !== undefined && { cursor }) };
}
