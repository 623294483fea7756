/**
 * The data of each event of an answer, in order. An answer that is no stream is one event: gateways that cannot stream
 * answer so to any request. The response's body has to come in whole events, as `providerFetch` gives them.
 */
export async function* serverEvents(response: Response): AsyncGenerator<string, void, undefined> {
  const { body } = response;
  if (body === null) return;
  if (/\bjson\b/.test(response.headers.get("content-type") ?? "")) return yield await response.text();
  const decoder = new TextDecoder();
  for await (const block of body) yield* dataOf(decoder.decode(block, { stream: true }));
}

/**
 * Lines of data that are no JSON alone belong together, by the rules of event streams. Servers that leave out the empty
 * line between events begin each with its own brace.
 */
function* dataOf(block: string): Generator<string, void, undefined> {
  let data: string | undefined;
  for (const line of block.split("\n")) {
    if (!line.startsWith("data:")) continue;
    const text = line.slice(line[5] === " " ? 6 : 5);
    if (data !== undefined && /^[{[]/.test(text)) {
      yield data;
      data = text;
    } else data = data === undefined ? text : `${data}\n${text}`;
  }
  if (data !== undefined) yield data;
}

/** The data is the mark with which streams of OpenAI's protocol end. */
export function isDone(data: string): boolean {
  return data.trim() === "[DONE]";
}
