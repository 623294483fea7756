/**
 * The result of an `EventSource` for a stream, by the rules of the HTML standard: the data of each event, and the last
 * event id.
 */
export interface ReadStream {
  readonly data: readonly string[];
  readonly lastEventId: string;
}

/** Parses the received part of a stream; a block without its empty line is discarded. */
export function readEventSource(stream: string): ReadStream {
  const data: string[] = [];
  let lastEventId = "";
  for (const block of stream.split("\n\n").slice(0, -1)) {
    const fields = block.split("\n").map((line) => /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []);
    const valuesOf = (name: string) => fields.flatMap(([, field, value = ""]) => (field === name ? [value] : []));
    // The id counts with or without data, but only data makes an event.
    lastEventId = valuesOf("id").at(-1) ?? lastEventId;
    const lines = valuesOf("data");
    if (lines.length > 0) data.push(lines.join("\n"));
  }
  return { data, lastEventId };
}
