import { crc32 } from "node:zlib";
import { firstProblem, listOf, membersOf, type ProviderFormat, type Said, textOfSaid } from "./provider-format.ts";

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and …_ConverseStream.html.
const BLOCKS = new Set(["text", "image", "toolUse", "toolResult", "cachePoint"]);
const USAGE = { inputTokens: 5, outputTokens: 7, totalTokens: 12 };

/** Amazon Bedrock's Converse API. */
export const BEDROCK: ProviderFormat = {
  streamType: "application/vnd.amazon.eventstream",
  isStreamed: ({ path }) => path.endsWith("/converse-stream"),
  problemOf: ({ path, headers, body }) => {
    const { messages } = membersOf(body);
    return firstProblem(
      [/^\/model\/[^/]+\/converse(-stream)?$/.test(path), `unknown operation ${path}`],
      [/^(Bearer |AWS4-HMAC-SHA256 )/.test(headers.authorization ?? ""), "not signed"],
      [listOf(messages).length > 0, "messages is empty"],
      ...listOf(messages).flatMap((message, index) => {
        const { role, content } = membersOf(message);
        const kinds = listOf(content).flatMap((block) => Object.keys(membersOf(block)));
        return [
          [role === (index % 2 === 0 ? "user" : "assistant"), "roles must alternate, the user's first"],
          [kinds.length > 0 && kinds.every((kind) => BLOCKS.has(kind)), `unknown block among ${kinds}`],
          ...listOf(content).map((block) => imageRule(membersOf(block)["image"])),
        ] as const;
      }),
    );
  },
  whole: (said) => ({
    output: { message: { role: "assistant", content: [blockOf(said)] } },
    stopReason: said.kind === "call" ? "tool_use" : "end_turn",
    usage: USAGE,
    metrics: { latencyMs: 1 },
  }),
  stream: (said) => {
    const at = { contentBlockIndex: 0 };
    const deltas =
      said.kind === "text"
        ? said.pieces.map((text) => ({ text }))
        : [{ toolUse: { input: JSON.stringify(said.args) } }];
    return [
      frame("messageStart", { role: "assistant" }),
      ...(said.kind === "call"
        ? [frame("contentBlockStart", { ...at, start: { toolUse: { toolUseId: "tooluse_1", name: said.name } } })]
        : []),
      ...deltas.map((delta) => frame("contentBlockDelta", { ...at, delta })),
      frame("contentBlockStop", at),
      frame("messageStop", { stopReason: said.kind === "call" ? "tool_use" : "end_turn" }),
      frame("metadata", { usage: USAGE, metrics: { latencyMs: 1 } }),
    ];
  },
};

function blockOf(said: Said): object {
  if (said.kind === "text") return { text: textOfSaid(said) };
  return { toolUse: { toolUseId: "tooluse_1", name: said.name, input: said.args } };
}

function imageRule(image: unknown): readonly [boolean, string] {
  const { format, source } = membersOf(image);
  const isImage =
    typeof membersOf(source)["bytes"] === "string" && ["png", "jpeg", "gif", "webp"].includes(`${format}`);
  return [image === undefined || isImage, "an image needs format and source.bytes"];
}

/** A message of AWS's event stream: prelude, headers, payload, and the checksums of both. */
function frame(eventType: string, payload: object): Uint8Array {
  const headers = Buffer.concat(
    [
      [":event-type", eventType],
      [":content-type", "application/json"],
      [":message-type", "event"],
    ].map(([name = "", value = ""]) => {
      const head = Buffer.from([name.length, ...Buffer.from(name), 7]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(value.length);
      return Buffer.concat([head, length, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([start, checksum(start)]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes) >>> 0);
  return sum;
}
