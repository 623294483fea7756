import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const MESSAGE = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Hello" }] };
const OLD_MESSAGE = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "Hello" }] };

const withParts = (...parts: readonly JsonValue[]) => ({ message: { ...MESSAGE, parts } });

type Form = readonly [name: string, params: JsonObject, refusal?: string];

/** What clients send in different forms, and the part of the refusal that names the mistake; none if it is taken. */
const FORMS: readonly Form[] = [
  ["members that the protocol does not have", { message: { ...MESSAGE, novel: { a: 1 } }, novel: 2 }],
  [
    "names as the protobuf file has them",
    { message: { message_id: "m-1", role: "ROLE_USER", parts: [{ text: "a" }] } },
  ],
  ["null members", { message: { ...MESSAGE, contextId: null, taskId: null, metadata: null }, configuration: null }],
  ["empty members", { message: { ...MESSAGE, contextId: "", taskId: "", extensions: [] }, configuration: {} }],
  ["the number of a role", { message: { ...MESSAGE, role: 1 } }],
  ["kinds of 0.3", { message: OLD_MESSAGE }, "`message.role`"],
  ["kinds beside members of 1.0", { message: { ...MESSAGE, kind: "message", parts: [{ kind: "text", text: "a" }] } }],
  ["an empty text", withParts({ text: "" })],
  ["data that is a list", withParts({ data: [1, null] })],
  ["output modes", { message: MESSAGE, configuration: { acceptedOutputModes: ["text/plain", "x/y"] } }],
  ["no message", {}, "`message`"],
  ["a message that is a text", { message: "Hello" }, "`message.messageId`"],
  ["an agent's message", { message: { ...MESSAGE, role: "ROLE_AGENT" } }, "`message.role`"],
  ["no parts", withParts(), "`message.parts`"],
  ["no list of parts", { message: { messageId: "m-1", role: "ROLE_USER" } }, "`message.parts`"],
  ["an object of parts", { message: { ...MESSAGE, parts: { text: "a" } } }, "`message.parts`"],
  ["a part without content", withParts({}), "`message.parts[0]`"],
  ["a part that is a text", withParts("Hello"), "`message.parts[0]`"],
  ["a part that is null", withParts(null), "`parts`"],
  ["bytes as base64 of URLs, without padding", withParts({ raw: "-_8", mediaType: "image/png" })],
  [
    "bytes that are not base64",
    withParts({ text: "a" }, { raw: "ab$$", mediaType: "image/png" }),
    "`message.parts[1].raw`",
  ],
  ["bytes with half a byte", withParts({ raw: "abcde", mediaType: "image/png" }), "`message.parts[0].raw`"],
  ...["messageId", "contextId", "taskId", "metadata"].map(
    (name): Form => [`${name} of another type`, { message: { ...MESSAGE, [name]: 5 } }, `\`message.${name}\``],
  ),
  ...["text", "raw", "url", "filename", "mediaType", "metadata"].map(
    (name): Form => [`${name} of another type`, withParts({ text: "a", [name]: [] }), `\`message.parts[0].${name}\``],
  ),
  ["a negative length", { message: MESSAGE, configuration: { historyLength: -1 } }, "`historyLength`"],
];

async function startEcho() {
  const world = await startGateway({ config: { A2A_APPS: ["echo"] } });
  const post = (path: string, payload: object, headers: Readonly<Record<string, string>> = { "a2a-version": "1.0" }) =>
    world.gateway.inject({ method: "POST", url: `/a2a/echo${path}`, headers, payload });
  const rpc = (method: string, params: JsonObject, headers?: Readonly<Record<string, string>>) =>
    post("", { jsonrpc: "2.0", id: 1, method, params }, headers);
  return { post, rpc, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

it.each(FORMS.map(([name, params, refusal]) => ({ name, params, refusal })))(
  "takes, or refuses with the name of the mistake: $name",
  async ({ params, refusal }) => {
    verifies("platform:a2a:clients");
    await using world = await startEcho();
    const rpc = await world.rpc("SendMessage", params);
    const http = await world.post("/message:send", params);
    expect([rpc.statusCode, http.statusCode]).toEqual([200, refusal === undefined ? 200 : 400]);
    for (const { body } of [rpc, http]) {
      if (refusal === undefined) expect(body).toContain('"TASK_STATE_COMPLETED"');
      else expect(body).toMatch(new RegExp(`"message":"[^"]*${RegExp.escape(refusal)}`));
      expect(body).not.toContain("Cannot read");
    }
  },
);

it.each([
  ["a part that is null", { message: { ...OLD_MESSAGE, parts: [null] } }],
  ["no list of parts", { message: { ...OLD_MESSAGE, parts: null } }],
  ["bytes that are not base64", { message: { ...OLD_MESSAGE, parts: [{ kind: "file", file: { bytes: "$" } }] } }],
  ["a text of another type", { message: { ...OLD_MESSAGE, parts: [{ kind: "text", text: {} }] } }],
  ["an address of another type", { message: { ...OLD_MESSAGE, parts: [{ kind: "file", file: { uri: {} } }] } }],
  ["a name of another type", { message: { ...OLD_MESSAGE, parts: [{ kind: "file", file: { bytes: "", name: 5 } }] } }],
])("refuses in 0.3: %s", async (_, params) => {
  await using world = await startEcho();
  const { body } = await world.rpc("message/send", params, {});
  expect(JSON.parse(body)).toMatchObject({ error: { code: -32602, message: expect.stringMatching(/must be|should/) } });
});

it.each([
  ["1.0.2", "Task not found"],
  ["1", "Task not found"],
  ["2.0", "Supported: 1.0, 0.3."],
  ["latest", "Supported: 1.0, 0.3."],
  ["0.3", "A2A-Version: 1.0."],
  ["", "A2A-Version: 1.0."],
])("understands the version %s of a request of 1.0, or names the header", async (version, answer) => {
  verifies("platform:a2a:versions");
  await using world = await startEcho();
  const { body } = await world.rpc("GetTask", { id: "absent" }, version === "" ? {} : { "a2a-version": version });
  expect(body).toContain(answer);
});

it("names the header for a method of 0.3 that is sent as 1.0", async () => {
  await using world = await startEcho();
  expect((await world.rpc("tasks/get", { id: "absent" })).body).toContain("A2A-Version: 0.3, or none.");
});

it.each([
  ["application/json; charset=utf-8", 200],
  ["application/a2a+json", 200],
  ["text/plain", 415],
])("takes the content type %s: %i", async (type, status) => {
  await using world = await startEcho();
  const headers = { "a2a-version": "1.0", "content-type": type };
  // A text, so that it has no type of its own.
  const body = JSON.stringify({ message: MESSAGE }) as unknown as object;
  expect((await world.post("/message:send", body, headers)).statusCode).toBe(status);
});

it.each(["fileWithBytes", "file_with_bytes"])("refuses over HTTP in 0.3: %s that is not base64", async (name) => {
  await using world = await startEcho();
  const content = [{ file: { [name]: "$", mime_type: "image/png" } }];
  const { statusCode, body } = await world.post(
    "/v1/message:send",
    { message: { messageId: "m", role: "ROLE_USER", content } },
    {},
  );
  expect([statusCode, body]).toEqual([400, expect.stringContaining(`message.content[0].file.${name}`)]);
});
