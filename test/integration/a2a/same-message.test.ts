import { credentials } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { grpcBinding } from "#services/gateway/a2a/grpc-binding.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const PNG = Buffer.from("picture").toString("base64");
const WAV = Buffer.from("sound").toString("base64");

/** Two parts of each kind, so that one of them cannot be mistaken for the other. */
const PARTS = [
  { text: "one" },
  { raw: PNG, mediaType: "image/png", filename: "a.png" },
  { url: "https://files.test/b.pdf", mediaType: "application/pdf", filename: "b.pdf" },
  { text: "two" },
  { raw: WAV, mediaType: "audio/wav", filename: "c.wav" },
  { url: "https://files.test/d.txt", mediaType: "text/plain", filename: "d.txt" },
];
const MESSAGE = {
  messageId: "m",
  contextId: "c",
  role: "ROLE_USER",
  parts: PARTS,
  metadata: { k: [1, null, { a: true }] },
};

/** The files of 0.3 in JSON-RPC, and in HTTP+JSON. */
const OLD_PARTS = [
  { kind: "text", text: "one" },
  { kind: "file", file: { bytes: PNG, mimeType: "image/png", name: "a.png" } },
  { kind: "file", file: { uri: "https://files.test/b.pdf", mimeType: "application/pdf", name: "b.pdf" } },
  { kind: "text", text: "two" },
  { kind: "file", file: { bytes: WAV, mimeType: "audio/wav", name: "c.wav" } },
  { kind: "file", file: { uri: "https://files.test/d.txt", mimeType: "text/plain", name: "d.txt" } },
];
const OLD_CONTENT = OLD_PARTS.map(({ text, file }) =>
  text === undefined
    ? { file: { fileWithBytes: file?.bytes, fileWithUri: file?.uri, mimeType: file?.mimeType, name: file?.name } }
    : { text },
);
const OLD_MESSAGE = { messageId: "m", contextId: "c", role: "user", metadata: MESSAGE.metadata };

async function startEcho() {
  const world = await startGateway({ config: { A2A_APPS: ["echo"] } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const post = async (path: string, payload: object, version = "1.0") => {
    const headers = { "a2a-version": version };
    const { statusCode, body } = await world.gateway.inject({
      method: "POST",
      url: `/a2a/echo${path}`,
      headers,
      payload,
    });
    expect([statusCode, body.slice(0, 2000)]).toEqual([200, expect.stringMatching(/COMPLETED|completed/)]);
  };
  const rpc = (method: string, message: object, version?: string) =>
    post("", { jsonrpc: "2.0", id: 1, method, params: { message } }, version);
  const grpc = async () => {
    const binding = grpcBinding({ gateway: world.gateway, defaultAppName: "echo", logger: silentLogger });
    const server = new GrpcServer({ services: [binding] });
    const { A2AService } = loadProto("a2a").lf.a2a.v1;
    const client = new A2AService(`127.0.0.1:${await server.listen("127.0.0.1:0")}`, credentials.createInsecure());
    onTestFinished(() => {
      client.close();
      server.abort();
    });
    return client;
  };
  return { post, rpc, grpc, runner: world.runner };
}

type Echo = Awaited<ReturnType<typeof startEcho>>;

it.each<readonly [string, (echo: Echo) => Promise<unknown>]>([
  ["JSON-RPC of 1.0", ({ rpc }) => rpc("SendMessage", MESSAGE)],
  ["a stream in JSON-RPC of 1.0", ({ rpc }) => rpc("SendStreamingMessage", MESSAGE)],
  ["HTTP+JSON of 1.0", ({ post }) => post("/message:send", { message: MESSAGE })],
  ["a stream in HTTP+JSON of 1.0", ({ post }) => post("/message:stream", { message: MESSAGE })],
  ["JSON-RPC of 0.3", ({ rpc }) => rpc("message/send", { ...OLD_MESSAGE, kind: "message", parts: OLD_PARTS }, "0.3")],
  [
    "HTTP+JSON of 0.3",
    ({ post }) =>
      post("/v1/message:send", { message: { ...OLD_MESSAGE, role: "ROLE_USER", content: OLD_CONTENT } }, "0.3"),
  ],
  [
    "gRPC",
    async ({ grpc }) => {
      const client = await grpc();
      const parts = PARTS.map((part) => ({ ...part, ...(part.raw && { raw: Buffer.from(part.raw, "base64") }) }));
      const fields = {
        k: {
          listValue: {
            values: [
              { numberValue: 1 },
              { nullValue: "NULL_VALUE" as const },
              { structValue: { fields: { a: { boolValue: true } } } },
            ],
          },
        },
      };
      const message = { ...MESSAGE, role: "ROLE_USER" as const, parts, metadata: { fields } };
      await new Promise((resolve, reject) =>
        client.SendMessage({ message }, (error, answer) => (error ? reject(error) : resolve(answer))),
      );
    },
  ],
])("a run gets every part of a message, in order: %s", async (_, send) => {
  verifies("platform:a2a:versions");
  const echo = await startEcho();
  await send(echo);
  expect(
    echo.runner.started.map(({ session, request }) => [session.id, request.newMessage, request.customMetadata]),
  ).toEqual([
    [
      "c",
      {
        role: "user",
        parts: [
          { text: "one" },
          { inlineData: { mimeType: "image/png", data: PNG, displayName: "a.png" } },
          { fileData: { mimeType: "application/pdf", fileUri: "https://files.test/b.pdf", displayName: "b.pdf" } },
          { text: "two" },
          { inlineData: { mimeType: "audio/wav", data: WAV, displayName: "c.wav" } },
          { fileData: { mimeType: "text/plain", fileUri: "https://files.test/d.txt", displayName: "d.txt" } },
        ],
      },
      { "a2a:message_id": "m", a2a_metadata: MESSAGE.metadata },
    ],
  ]);
});
