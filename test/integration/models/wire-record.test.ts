import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { AiSdkModel, Claude, Gemini, OpenAiCompatible, providerFetch } from "fairlead/models";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { LlmRequest } from "#kit/models/llm-request.ts";
import { WireRecorder, type WireRecorderOptions } from "#kit/models/record/wire-recorder.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { Answer } from "#test/helpers/dialects/answer.ts";
import { CLAUDE_DIALECTS } from "#test/helpers/dialects/claude-dialects.ts";
import type { Dialect } from "#test/helpers/dialects/dialect.ts";
import { startDialectServer } from "#test/helpers/dialects/dialect-server.ts";
import { GEMINI_DIALECTS } from "#test/helpers/dialects/gemini-dialects.ts";
import { OPENAI_DIALECTS } from "#test/helpers/dialects/openai-dialects.ts";
import { readWireFile, startRecordedServer } from "#test/helpers/servers/recorded-server.ts";
import { answerJson, answerSse, startWireServer, type WireAnswer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { collect, weatherRequest } from "./model-suite.ts";

const KEY = "a-key-of-the-house-12345";
type Create = (address: { readonly model: string; readonly baseUrl: string }) => BaseLlm;

const sleep = async (): Promise<void> => {};
const FAMILIES: readonly (readonly [string, readonly Dialect[], Create])[] = [
  ["OpenAI's protocol", OPENAI_DIALECTS, (address) => new OpenAiCompatible({ ...address, apiKey: KEY, sleep })],
  ["Claude's protocol", CLAUDE_DIALECTS, (address) => new Claude({ ...address, apiKey: KEY, sleep })],
  ["Gemini's protocol", GEMINI_DIALECTS, (address) => new Gemini({ ...address, apiKey: KEY, sleep })],
  [
    "the AI SDK with the kit's fetch",
    OPENAI_DIALECTS.slice(0, 3),
    ({ model, baseUrl }) => {
      const house = createOpenAICompatible({ name: "house", baseURL: baseUrl, apiKey: KEY, fetch: providerFetch });
      return new AiSdkModel({ languageModel: house(model), sleep });
    },
  ],
];

const ANSWER: Answer = {
  thought: "I must look it up.",
  text: "Let me see: 🙂é漢字.",
  calls: [{ name: "get_weather", args: { city: "Köln" } }],
  end: "done",
  usage: { prompt: 10, output: 5, thoughts: 7, cached: 0 },
};

function recordFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "record-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "wire.jsonl");
}

/** Links to the files that this process has open; only Linux has it. */
const OPEN_FILES = "/proc/self/fd";

function isOpen(path: string): boolean {
  return readdirSync(OPEN_FILES).some((name) => {
    try {
      return readlinkSync(join(OPEN_FILES, name)) === path;
    } catch {
      // The list of the folder was open while it was made.
      return false;
    }
  });
}

function startRecorder(options: Partial<WireRecorderOptions> = {}): WireRecorder {
  return new WireRecorder({
    path: recordFile(),
    environment: {},
    clock: new FixedClock(),
    onProblem: (problem) => {
      throw new Error(problem);
    },
    ...options,
  });
}

/** What the model says to a server with these answers, and the file of it. */
async function recordOf(
  answers: readonly [WireAnswer, ...WireAnswer[]],
  options: Partial<WireRecorderOptions> = {},
  request?: LlmRequest,
) {
  const path = recordFile();
  await using server = await startWireServer(...answers);
  using _recorder = startRecorder({ path, ...options });
  const model = new OpenAiCompatible({ model: "m", baseUrl: `${server.url}/v1`, apiKey: KEY, sleep });
  const said = await collect(model, request).catch(String);
  return { path, said, text: readFileSync(path, "utf8") };
}

describe.each(FAMILIES)("a record of %s", (_, dialects, create) => {
  it.each(dialects)("of $name is played back as the same answers to the same requests", async (dialect) => {
    verifies("providers:record:played-back");
    const path = recordFile();
    await using server = await startDialectServer(() => ({ dialect, answer: ANSWER, cuts: [7, 100, 31] }));
    const talk = async (baseUrl: string) => {
      const model = create({ model: dialect.model, baseUrl });
      const streamed = await collect(model, weatherRequest(model.model));
      return [streamed, await collect(model, weatherRequest(model.model), { stream: false })];
    };
    const recorder = startRecorder({ path });
    const recorded = await talk(server.url);
    recorder[Symbol.dispose]();
    expect(readFileSync(path, "utf8")).not.toContain(KEY);
    await using played = await startRecordedServer(path);
    expect(await talk(played.url)).toEqual(recorded);
    const wanted = server.requests.map(({ path, body }) => [path, body]);
    expect(played.requests.map(({ path, body }) => [path, body])).toEqual(wanted);
  });
});

const OK = answerJson('{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}');

describe("a record", () => {
  it("has failures, waits and lost connections, which are played back too", async () => {
    verifies("providers:record:played-back");
    const lost: WireAnswer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
      setImmediate(() => response.destroy());
    };
    const limited = answerJson('{"error":{"message":"slow down"}}', 429, { "retry-after": "7", "set-cookie": "a=b" });
    const { path, said } = await recordOf([limited, lost, OK]);
    const answers = readWireFile(path).flatMap((line) => ("answer" in line ? [line.answer] : []));
    expect(answers).toEqual([
      {
        status: 429,
        headers: expect.objectContaining({ "retry-after": "7", "set-cookie": "[redacted]" }),
        chunks: ['{"error":{"message":"slow down"}}'],
        end: "whole",
      },
      expect.objectContaining({ chunks: [": wait\n\n"], end: "failed", error: expect.stringContaining("terminated") }),
      expect.objectContaining({ status: 200, end: "whole" }),
    ]);
    await using played = await startRecordedServer(path);
    const waits: number[] = [];
    const again = new OpenAiCompatible({
      model: "m",
      baseUrl: `${played.url}/v1`,
      apiKey: KEY,
      sleep: async (ms) => void waits.push(ms),
    });
    expect(await collect(again)).toEqual(said);
    expect([played.requests.length, waits[0]]).toEqual([3, 7000]);
  });

  it("has no credentials, wherever they stand", async () => {
    verifies("providers:record:no-credentials");
    const planted = {
      environment: "crm-secret-value-1",
      header: "house-tenant-4711",
      signature: "AbCdEf0123456789",
      password: "correct horse",
      github: "ghp_0123456789abcdefghij",
    };
    const signed = `https://storage.example.com/a.png?X-Sig=${planted.signature}\\u0026x=1`;
    const words = `key ${KEY}, ${planted.environment}, ${planted.header}, ${planted.github}`;
    const event = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
    const answer = answerSse(
      `${event(`é ${words}`)}${event(signed)}data: {"password":"${planted.password}"}\n\n${event("rest")}data: [DONE]\n\n`,
    );
    await using server = await startWireServer(answer);
    const path = recordFile();
    const recorder = startRecorder({
      path,
      environment: { CRM_TOKEN: planted.environment, HOME: "/home/of/somebody" },
    });
    const model = new OpenAiCompatible({
      model: "m",
      baseUrl: server.url,
      apiKey: KEY,
      headers: { "x-house": planted.header },
    });
    const request = new LlmRequest({
      model: "m",
      contents: [
        {
          role: "user",
          parts: [{ text: `${words} https://u:${planted.signature}@h/p?sig=${planted.signature} /home/of/somebody` }],
        },
      ],
    });
    await collect(model, request);
    recorder[Symbol.dispose]();
    const text = readFileSync(path, "utf8");
    expect([...Object.values(planted), KEY].filter((secret) => text.includes(secret))).toEqual([]);
    const [, sent, answered] = readWireFile(path);
    expect(sent).toMatchObject({
      request: {
        url: `${server.url}/chat/completions`,
        headers: { authorization: "[redacted]", "x-house": "[redacted]", "content-type": "application/json" },
        body: expect.stringContaining("/home/of/somebody"),
      },
    });
    expect(answered).toMatchObject({
      answer: { chunks: expect.arrayContaining([event("rest")]) },
    });
  });

  it("leaves out keys in the address", async () => {
    verifies("providers:record:no-credentials");
    const path = recordFile();
    await using server = await startWireServer(OK);
    const recorder = startRecorder({ path });
    await providerFetch(`${server.url}/v1beta/models/m:generateContent?key=${KEY}&alt=sse`, {
      method: "POST",
      body: KEY,
    });
    recorder[Symbol.dispose]();
    expect(readWireFile(path)[1]).toMatchObject({
      request: { url: `${server.url}/v1beta/models/m:generateContent?key=[redacted]&alt=sse`, body: "[redacted]" },
    });
  });

  it("can be read by its user alone, and never replaces a file or a folder", () => {
    verifies("providers:record:new-file");
    const path = recordFile();
    using _recorder = startRecorder({ path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const folder = join(path, "..");
    writeFileSync(join(folder, "mine"), "mine");
    for (const [given, problem] of [
      [join(folder, "mine"), "exists already. Give a new file"],
      [folder, "exists already. Give a new file"],
      [join(folder, "none/file"), "is in a folder that does not exist"],
      [join(folder, "mine/file"), "is in something that is not a folder"],
    ] as const)
      expect(() => startRecorder({ path: given })).toThrow(
        `The record of the wire cannot be written: ${given} ${problem}.`,
      );
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("mine");
  });

  it("is whole lines at any time, and ends at its greatest size without an effect on the call", async () => {
    verifies("providers:record:bounded");
    const problems: string[] = [];
    const { path, said, text } = await recordOf([OK], {
      maxBytes: 700,
      onProblem: (problem) => problems.push(problem),
    });
    expect(said.slice(-1)).toEqual([expect.objectContaining({ content: { role: "model", parts: [{ text: "ok" }] } })]);
    expect([text.endsWith("\n"), Buffer.byteLength(text) <= 700]).toEqual([true, true]);
    expect(problems).toEqual([`${path} has no further exchanges: it has reached its greatest size.`]);
  });

  it.skipIf(!existsSync(OPEN_FILES))("closes its file when it ends, and when it is given up", () => {
    verifies("providers:record:bounded");
    const path = recordFile();
    const recorder = startRecorder({ path });
    expect(isOpen(path)).toBe(true);
    recorder[Symbol.dispose]();
    expect(isOpen(path)).toBe(false);
    const full = recordFile();
    using _recorder = startRecorder({ path: full, maxBytes: 1, onProblem: () => {} });
    expect(isOpen(full)).toBe(false);
  });

  it("has the request of a call that is still waiting", async () => {
    verifies("providers:record:bounded");
    const path = recordFile();
    await using server = await startWireServer(answerSse(": wait\n\n", { open: true }));
    const recorder = startRecorder({ path });
    const end = new AbortController();
    const model = new OpenAiCompatible({ model: "m", baseUrl: server.url, apiKey: KEY });
    const call = collect(model, undefined, { signal: end.signal }).catch(() => "ended");
    await expect.poll(() => readWireFile(path).length).toBe(2);
    end.abort();
    await call;
    recorder[Symbol.dispose]();
    expect(readWireFile(path).slice(2)).toEqual([
      { exchange: 1, endedAt: expect.any(String), answer: expect.objectContaining({ chunks: expect.any(Array) }) },
    ]);
    expect(await collect(model, undefined, { signal: AbortSignal.abort() }).catch(() => "ended")).toBe("ended");
    expect(readWireFile(path)).toHaveLength(3);
  });
});
