import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import type { Blob } from "#kit/events/content.ts";
import { OpenAiSpeech } from "#kit/models/openai/openai-speech.ts";
import { verifies } from "#test/helpers/verifies.ts";

interface Call {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form?: FormData;
  readonly json?: unknown;
}

/** A server with OpenAI's audio API, which reads each request as its documents define it. */
async function startAudioServer(answer: (call: Call, response: ServerResponse) => unknown) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const type = request.headers["content-type"] ?? "";
    const body = new Response(new Uint8Array(await buffer(request)), { headers: { "content-type": type } });
    const content = type.startsWith("multipart/") ? { form: await body.formData() } : { json: await body.json() };
    const call = { path: request.url ?? "", authorization: request.headers.authorization, ...content };
    calls.push(call);
    await answer(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server's address is not a pipe name.
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { calls, baseUrl };
}

const MODELS = { transcription: { model: "hears", language: "de" }, speech: { model: "speaks", voice: "alloy" } };
const options = (baseUrl: string) => ({ ...MODELS, baseUrl, apiKey: "secret-key" });
const { signal } = new AbortController();

/** A second of a loud tone between silences, twice. */
async function* twoWords(): AsyncGenerator<Blob> {
  for (const level of [0, 6000, 0, 6000, 0]) {
    const bytes = Buffer.alloc(16_000 * 2);
    for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(Math.round(level * Math.sin(at / 7)), at);
    for (let at = 0; at < bytes.length; at += 640)
      yield { mimeType: "audio/pcm;rate=16000", data: bytes.subarray(at, at + 640).toString("base64") };
  }
}

const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

it("recognizes each utterance as a file, and passes what was said", async () => {
  verifies("operations:speech-client:close");
  const server = await startAudioServer((_, response) =>
    json(response, { text: ["Guten Tag", " "][server.calls.length - 1] }),
  );
  const speech = new OpenAiSpeech(options(server.baseUrl));
  expect(await Array.fromAsync(speech.transcribe(twoWords(), { signal }))).toEqual([
    { text: "Guten Tag", finished: true },
  ]);
  expect(server.calls).toHaveLength(2);
  for (const { path, authorization, form } of server.calls) {
    expect([path, authorization]).toEqual(["/v1/audio/transcriptions", "Bearer secret-key"]);
    expect(["model", "language", "response_format"].map((name) => form?.get(name))).toEqual(["hears", "de", "json"]);
    const file = form?.get("file");
    if (!(file instanceof File)) throw new Error("There is no file.");
    const bytes = Buffer.from(await file.arrayBuffer());
    expect([file.name, bytes.toString("latin1", 0, 4), bytes.readUInt32LE(24)]).toEqual(["speech.wav", "RIFF", 16_000]);
    // RIFF WAVE: PCM, mono, bytes a second, bytes of a sample and its bits.
    const format = [bytes.readUInt16LE(20), bytes.readUInt16LE(22), bytes.readUInt32LE(28), bytes.readUInt16LE(32)];
    expect([...format, bytes.readUInt16LE(34)]).toEqual([1, 1, 32_000, 2, 16]);
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([bytes.length - 8, bytes.length - 44]);
  }
  await speech.close();
  await speech.close();
});

it("speaks a text in chunks as they come, in whole samples", async () => {
  const server = await startAudioServer(async (_, response) => {
    response.writeHead(200, { "content-type": "audio/pcm" });
    // Odd pieces, and half a sample at the end.
    for (const size of [9601, 7, 9599, 3000]) response.write(Buffer.alloc(size, 1));
    response.end();
  });
  const speech = new OpenAiSpeech({
    ...options(server.baseUrl),
    speech: { ...MODELS.speech, instructions: "Whisper." },
  });
  const chunks = await Array.fromAsync(speech.synthesize("Good morning!", { signal }));
  expect(chunks.map(({ data = "" }) => Buffer.from(data, "base64").length)).toEqual([9600, 9600, 3006]);
  expect(new Set(chunks.map(({ mimeType }) => mimeType))).toEqual(new Set(["audio/pcm;rate=24000"]));
  expect(server.calls).toMatchObject([
    {
      path: "/v1/audio/speech",
      json: {
        ...{ model: "speaks", voice: "alloy", instructions: "Whisper." },
        ...{ input: "Good morning!", response_format: "pcm" },
      },
    },
  ]);
});

it("repeats a request that the server could not take, and reports one that it refuses without the key", async () => {
  let failures = 1;
  const server = await startAudioServer((call, response) => {
    if (failures-- > 0) return response.writeHead(503, { "retry-after-ms": "1" }).end();
    return json(response, { error: { message: `The key secret-key may not use ${call.path}.` } }, 401);
  });
  const speech = new OpenAiSpeech(options(server.baseUrl));
  const spoken = Array.fromAsync(speech.synthesize("Hello", { signal }));
  await expect(spoken).rejects.toMatchObject({ name: "ModelError", category: "AUTH_ERROR" });
  await expect(spoken).rejects.not.toThrow("secret-key");
  expect(server.calls).toHaveLength(2);
});

it("ends with its signal, and leaves no connection", async () => {
  const server = await startAudioServer((_, response) => {
    response.writeHead(200, { "content-type": "audio/pcm" }).write(Buffer.alloc(9600));
  });
  const speech = new OpenAiSpeech(options(server.baseUrl));
  const stop = new AbortController();
  const spoken = speech.synthesize("Hello", { signal: stop.signal });
  expect((await spoken.next()).done).toBe(false);
  const next = spoken.next();
  stop.abort(new Error("interrupted"));
  await expect(next).rejects.toThrow("interrupted");
});

it("closes the connection of a speech of which no more is wanted", async () => {
  const closed = Promise.withResolvers<void>();
  const server = await startAudioServer((_, response) => {
    response.once("close", closed.resolve);
    response.writeHead(200, { "content-type": "audio/pcm" }).write(Buffer.alloc(9600));
  });
  for await (const { data } of new OpenAiSpeech(options(server.baseUrl)).synthesize("Hello", { signal })) {
    expect(data).toBeDefined();
    break;
  }
  await closed.promise;
});

it("ends an utterance after the silence of its options", async () => {
  const server = await startAudioServer((_, response) => json(response, { text: "word" }));
  const heard = async (silenceMs: number) => {
    const speech = new OpenAiSpeech({ ...options(server.baseUrl), silenceMs });
    return (await Array.fromAsync(speech.transcribe(twoWords(), { signal }))).length;
  };
  // A second of silence is between the words.
  expect([await heard(500), await heard(1500)]).toEqual([2, 1]);
});

it("names the option that is wrong, and what a missing key needs", async () => {
  expect(() => new OpenAiSpeech({ ...MODELS, silenceMs: 5 })).toThrow("silenceMs");
  expect(() => new OpenAiSpeech({ ...MODELS, speech: { model: "speaks" } as never })).toThrow("voice");
  const speech = new OpenAiSpeech({ ...MODELS, credentials: () => undefined });
  await expect(speech.synthesize("Hello", { signal }).next()).rejects.toMatchObject({ reason: "MODEL_KEY_MISSING" });
});
