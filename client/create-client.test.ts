import { describe, expect, expectTypeOf, it } from "vitest";
import { ERROR_CODES, type ErrorCode } from "#kit/errors/codes.ts";
import { apiPath, newKey, queryOf } from "./api-path.ts";
import { backOffMs, DEFAULT_RETRY, pause } from "./back-off.ts";
import { type ClientOptions, createClient } from "./create-client.ts";
import { FairleadError } from "./fairlead-error.ts";
import { createFilePart, toBlob } from "./file-part.ts";
import { codeOf, isCode } from "./read-body.ts";

const URL_OF_SERVER = "http://127.0.0.1:1";

describe("createClient", () => {
  it.each<[string, Partial<ClientOptions>, string]>([
    ["no address", { baseUrl: "agents" }, 'baseUrl: "agents" is not an http or https address.'],
    ["another protocol", { baseUrl: "file:///x" }, 'baseUrl: "file:///x" is not an http or https address.'],
    ["a negative time", { timeoutMs: -1 }, "timeoutMs: -1 is not a number from 1 to 2147483647."],
    ["no number", { maxAnswerBytes: Number.NaN }, "maxAnswerBytes: NaN is not a number from 1 to 2147483647."],
    ["no attempts", { retry: { maxAttempts: 0 } }, "retry.maxAttempts: 0 is not a number from 1 to 2147483647."],
  ])("refuses %s", (_, options, message) => {
    expect(() => createClient({ baseUrl: URL_OF_SERVER, ...options })).toThrow(message);
  });

  it("calls fetch as a function, as browsers demand", async () => {
    const seen: unknown[] = [];
    const options: ClientOptions = {
      baseUrl: `${URL_OF_SERVER}/base/`,
      async fetch(this: unknown, input) {
        seen.push(this, input);
        return Response.json(["x"]);
      },
    };
    expect(await createClient(options).apps.list()).toEqual(["x"]);
    expect(seen).toEqual([undefined, `${URL_OF_SERVER}/base/list-apps`]);
  });
});

describe("FairleadError", () => {
  it("knows all codes of the server, and which are retryable", () => {
    // Keys of the table are exactly the codes.
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      expect(isCode(code), code).toBe(true);
      expect(new FairleadError("x", { code, reason: "X" }).retryable, code).toBe(ERROR_CODES[code].retryable);
    }
    expect(isCode("toString")).toBe(false);
  });

  it("derives a code of the same status from an answer without one", () => {
    for (const { http } of Object.values(ERROR_CODES)) expect(ERROR_CODES[codeOf(http)].http).toBe(http);
    expect([codeOf(418), codeOf(502), codeOf(599)]).toEqual(["FAILED_PRECONDITION", "UNAVAILABLE", "INTERNAL"]);
  });

  it("has reasons that a program can switch on", () => {
    expectTypeOf<"CONNECTION_LOST">().toExtend<FairleadError["reason"]>();
  });
});

describe("backOffMs", () => {
  const delays = (random: number): readonly number[] =>
    [1, 2, 3, 7, 8, 2000].map((failures) => backOffMs(failures, DEFAULT_RETRY, { random: () => random }));

  it("doubles up to the longest pause, half of it random", () => {
    expect(delays(0)).toEqual([125, 250, 500, 5000, 5000, 5000]);
    expect(delays(1)).toEqual([250, 500, 1000, 10_000, 10_000, 10_000]);
  });

  it("waits as long as the server asks, within the longest pause", () => {
    const asked = (askedMs: number) => backOffMs(1, DEFAULT_RETRY, { askedMs, random: () => 0 });
    expect([asked(0), asked(3000), asked(60_000)]).toEqual([125, 3000, 10_000]);
  });
});

describe("pause", () => {
  it("ends with its signal, and leaves no listener behind", async () => {
    const controller = new AbortController();
    const paused = pause(60_000, controller.signal);
    controller.abort(new Error("left"));
    await expect(paused).rejects.toThrow("left");
    await expect(pause(60_000, controller.signal)).rejects.toThrow("left");
  });
});

describe("apiPath", () => {
  it("encodes each identifier as one segment", () => {
    expect(apiPath`/apps/${"a/b?"}/users/${"ü #"}`).toBe("/apps/a%2Fb%3F/users/%C3%BC%20%23");
    expect(queryOf({ a: "x&y", b: undefined, c: 0, d: false })).toBe("?a=x%26y&c=0&d=false");
    expect(queryOf({ a: undefined })).toBe("");
  });

  it.each(["", ".", "..", "\ud800"])("refuses %j, which no address can name", (id) => {
    expect(() => apiPath`/apps/${id}/users`).toThrow(FairleadError);
  });
});

describe("files", () => {
  it("become parts and blobs again", async () => {
    const bytes = Uint8Array.from({ length: 200_001 }, (_, index) => (index * 7) % 256);
    const part = await createFilePart(new Blob([bytes]));
    expect(part.inlineData?.mimeType).toBe("application/octet-stream");
    expect(part.inlineData?.data).toBe(Buffer.from(bytes).toString("base64"));
    expect(new Uint8Array(await toBlob(part).arrayBuffer())).toEqual(bytes);
    expect(() => toBlob({ functionCall: {} })).toThrow("neither inlineData with data nor text");
  });
});

describe("newKey", () => {
  it("returns 128 bits, another one each time", () => {
    const keys = Array.from({ length: 100 }, newKey);
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });
});
