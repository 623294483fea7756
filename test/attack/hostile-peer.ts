import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { HostileSockets } from "./hostile-sockets.ts";

const MIB = 1024 * 1024;
/** How long one answer may take: the server under attack may have to end it by its own limits first. */
const ANSWER_MS = 4000;

type Answer = (request: IncomingMessage, response: ServerResponse, random: SeededRandom) => void | Promise<void>;

/**
 * A model's provider, a server of tools, an agent, a collector or a website that answers each request in another hostile way. The answers
 * depend on the seed and the number of the request.
 */
export class HostilePeer implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  /** The kinds of answers that were given, the newest last. */
  readonly given: string[] = [];
  /** The one kind that is given; all of them in a random order if absent. */
  only: HostileKind | undefined;
  /** Its live sessions. */
  readonly sockets: HostileSockets;

  private constructor(server: Server, url: string, random: SeededRandom) {
    this.#server = server;
    this.url = url;
    this.sockets = new HostileSockets(server, random);
  }

  static async start(random: SeededRandom): Promise<HostilePeer> {
    const server = createServer({ keepAliveTimeout: 100 });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const peer = new HostilePeer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, random);
    server.on("request", (request, response) => {
      const own = random.fork(String(peer.given.length));
      const kind = peer.only ?? own.pick(HOSTILE_KINDS);
      peer.given.push(kind);
      const limit = setTimeout(() => response.destroy(), ANSWER_MS);
      response.once("close", () => clearTimeout(limit)).on("error", () => undefined);
      request.resume();
      Promise.resolve(ANSWERS[kind](request, response, own)).catch(() => response.destroy());
    });
    return peer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sockets[Symbol.dispose]();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const ANSWERS = {
  "60 MB of carriage returns": (_request, response) => flood(response, "\r", "text/event-stream", 60 * MIB),
  "a million calls": (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (calls: object[]): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: "tool_calls" }] })}\n\n`;
    const call = (index: number): object => ({ index, id: `c${index}`, function: { name: "f", arguments: "{}" } });
    const pieces = Array.from({ length: 1000 }, (_, at) =>
      event(Array.from({ length: 1000 }, (__, index) => call(at * 1000 + index))),
    );
    return pipeline(Readable.from([...pieces, "data: [DONE]\n\n"]), response);
  },
  "a flood of line ends": (_request, response, random) =>
    flood(response, random.pick(["\r", "\n", "\r\n", "\n\r", ":\n", ":\n\n"]), streamType(random)),
  "a line without end": (_request, response, random) =>
    flood(response, random.pick(["x", "data: x", "\u0000", "é"]), streamType(random)),
  "events without end": (_request, response, random) =>
    flood(response, `data: ${chunkOf(random)}\n\n`, streamType(random)),
  "JSON without end": (_request, response, random) =>
    flood(response, random.pick(["[", '{"a":', " ", "1,", '"']), "application/json"),
  "one huge event": (_request, response, random) => {
    response.writeHead(200, { "content-type": streamType(random) });
    response.end(`data: ${hugeAnswer(random)}\n\ndata: [DONE]\n\n`);
  },
  "one huge answer": (_request, response, random) => {
    response.writeHead(random.pick([200, 200, 400, 500]), { "content-type": "application/json" });
    response.end(hugeAnswer(random));
  },
  "broken JSON": (_request, response, random) => {
    response.writeHead(random.pick([200, 429, 500]), {
      "content-type": random.pick(["application/json", "text/event-stream"]),
    });
    response.end(
      random.pick([
        '{"a":',
        "data: {\n\n",
        "\ud800",
        '{"choices":[null]}',
        "data: null\n\n",
        "data: 7\n\n",
        "[]",
        "null",
        "",
      ]),
    );
  },
  "a wrong length": (_request, response, random) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${random.pick([5, 1_000_000])}\r\n\r\n`;
    response.socket?.end(`${head}{"choices":[]}`);
  },
  "a half-closed socket": (_request, response, random) => {
    response.writeHead(200, { "content-type": streamType(random) });
    response.write(`data: ${chunkOf(random)}\n\nda`, () => response.socket?.destroy());
  },
  "a slow drip": async (_request, response, random) => {
    response.writeHead(200, { "content-type": streamType(random) });
    const text = `data: ${chunkOf(random)}\n\n`;
    for (let at = 0; !response.destroyed; at += 1) {
      response.write(text[at % text.length]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  "a redirect": (request, response, random) => {
    const location = random.pick([
      "/again",
      "http://127.0.0.1:9/",
      "http://169.254.169.254/latest/meta-data/",
      "http://metadata.google.internal/computeMetadata/v1/",
      "http://[fd00:ec2::254]/latest/",
      "//[",
      `http://${request.headers.host}/`,
    ]);
    response.writeHead(random.pick([301, 302, 303, 307, 308]), { location }).end();
  },
  "huge headers": (_request, response, random) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\n${`x-a: ${"a".repeat(random.pick([10, 1000]))}\r\n`.repeat(3000)}\r\n{}`);
  },
  "no answer": () => undefined,
} as const satisfies Readonly<Record<string, Answer>>;

export type HostileKind = keyof typeof ANSWERS;
// The names of the object above.
export const HOSTILE_KINDS = Object.keys(ANSWERS) as readonly HostileKind[];

function flood(response: ServerResponse, text: string, contentType: string, bytes = 200 * MIB): Promise<void> {
  response.writeHead(200, { "content-type": contentType });
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  const chunks = Array.from({ length: Math.ceil(bytes / chunk.length) }, () => chunk);
  return pipeline(Readable.from(chunks), response);
}

function streamType(random: SeededRandom): string {
  return random.pick(["text/event-stream", "text/event-stream; charset=utf-8", "application/json", "text/plain"]);
}

/** A chunk of an answer in the form of one of the providers, or of a server of tools. */
function chunkOf(random: SeededRandom): string {
  const number = random.pick([1, -5, 1e300, 0.5, Number.MAX_SAFE_INTEGER]);
  return JSON.stringify(
    random.pick<object>([
      {
        choices: [{ delta: { content: "more and more" } }],
        usage: { prompt_tokens: number, completion_tokens: number },
      },
      { choices: [{ delta: { reasoning_content: "thinking" } }] },
      { choices: [{ delta: { tool_calls: [{ index: number, id: "a", function: { name: "f", arguments: "{" } }] } }] },
      { type: "content_block_delta", index: number, delta: { type: "text_delta", text: "on and on" } },
      { candidates: [{ content: { parts: [{ text: "and so on" }] } }], usageMetadata: { totalTokenCount: number } },
      { candidates: [{ content: { parts: [{ functionCall: { name: "adk_request_confirmation", args: {} } }] } }] },
      {
        jsonrpc: "2.0",
        id: 1,
        result: {
          artifactUpdate: { taskId: "t", artifact: { artifactId: "a", parts: [{ text: "on" }] }, append: true },
        },
      },
      { jsonrpc: "2.0", id: 1, result: { statusUpdate: { taskId: "t", status: { state: "TASK_STATE_WORKING" } } } },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
    ]),
  );
}

function hugeAnswer(random: SeededRandom): string {
  const count = random.pick([2000, 100_000, 500_000]);
  const list = (item: object): string => Array.from({ length: count }, () => JSON.stringify(item)).join(",");
  switch (random.between(0, 6)) {
    case 0:
      return `{"choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[${list({ id: "a", type: "function", function: { name: "f", arguments: "{}" } })}]}}]}`;
    case 1:
      return `{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[${list({ functionCall: { name: "f" } })}]}}]}`;
    case 2:
      return JSON.stringify({
        choices: [{ index: 0, finish_reason: "stop", message: { content: "x".repeat(count * 20) } }],
      });
    case 3:
      return "[".repeat(count) + "]".repeat(count);
    case 4:
      return `{"jsonrpc":"2.0","id":1,"result":{"tools":[${list({ name: "t", inputSchema: { type: "object" } })}]}}`;
    case 5:
      return `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[${list({ artifactId: "a", parts: [{ text: "x" }] })}]}}}`;
    default:
      return `{"error":{"message":${JSON.stringify("e".repeat(count * 10))},"code":400}}`;
  }
}
