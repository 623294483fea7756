import { fromJsonChunks, type JoinedJson } from "#adapters/grpc/messages/json-stream.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** The JSON of a call's messages. Throws `INVALID_FIELD` if there is none. */
export async function given<Value, Message extends { readonly jsonChunk: Buffer }>(
  messages: AsyncIterable<Message>,
): Promise<JoinedJson<Value, Message>> {
  const joined = await fromJsonChunks<Value, Message>(messages, "The evaluation data");
  if (joined === undefined)
    throw new PlatformError("INVALID_FIELD", "The call has no message: send one with jsonChunk.", {
      details: { field: "jsonChunk" },
    });
  return joined;
}
