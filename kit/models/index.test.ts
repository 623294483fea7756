import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { Claude, DemoModel, Gemini, GeminiEmbedder, OpenAiCompatible } from "./index.ts";

const OPTIONS = { model: "m" };
const CLASSES = { Claude, Gemini, OpenAiCompatible, GeminiEmbedder, DemoModel };

describe("what fairlead/models exports", () => {
  it("loads no SDK of a provider", async () => {
    verifies("authentication:model:own-endpoint");
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { Gemini } = await import("fairlead/models");
      new Gemini({ model: "m", apiKey: "k" });
      console.log(JSON.stringify(loaded));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    const loaded: readonly string[] = JSON.parse(stdout);
    expect(loaded.some((url) => url.endsWith("/kit/models/gemini/gemini.ts"))).toBe(true);
    expect(loaded.filter((url) => /node_modules\/(@google|@anthropic-ai|openai)/.test(url))).toEqual([]);
  });

  it.each([
    [{ ...OPTIONS, apiKey: "" }, "apiKey must be a non-empty string, not an empty string."],
    [{ ...OPTIONS, apiKey: 7 }, "apiKey must be a non-empty string, not 7."],
    [{ ...OPTIONS, apiKey: Promise.resolve("secret") }, "apiKey must be a non-empty string, not a promise."],
    [{ apiKey: "k" }, "model must be a non-empty string, not undefined."],
    [{ ...OPTIONS, api_key: "secret" }, /^new \w+: api_key is not an option; the options are model, apiKey, baseUrl, /],
    ["gemini-2.5-flash", "options must be an object, not this string."],
    [
      { ...OPTIONS, baseUrl: "https://user:secret@host" },
      "baseUrl must be an http:// or https:// URL without user name, password, query and fragment, not this string.",
    ],
    [{ ...OPTIONS, baseUrl: "localhost:8000" }, /baseUrl must be an http/],
    [{ ...OPTIONS, baseUrl: "https://host/v1?key=secret" }, /baseUrl must be an http/],
    [{ ...OPTIONS, headers: { "x team": "secret" } }, /headers must be an object of header names and strings/],
    [{ ...OPTIONS, headers: { "x-team": "secret\r\nx: y" } }, /headers must be an object of header names and strings/],
    [{ ...OPTIONS, retry: { maxAttempts: 0 } }, "retry.maxAttempts must be an integer of at least 1, not 0."],
    [
      { ...OPTIONS, retry: { maxDelayMs: "1s" } },
      "retry.maxDelayMs must be an integer of at least 0 milliseconds, not this string.",
    ],
    [
      { ...OPTIONS, retry: { attempts: 3 } },
      "retry.attempts is not an option; the options are maxAttempts, maxDelayMs.",
    ],
    [{ ...OPTIONS, credentials: { key: "secret" } }, "credentials must be a function, not this object."],
  ])("refuses bad options by name, without their values: %o", (options, message) => {
    verifies("authentication:model:own-endpoint");
    for (const Model of [Claude, Gemini, OpenAiCompatible]) {
      const error = refusalOf(() => Reflect.construct(Model, [options]));
      expect(error).toMatchObject({ reason: "INVALID_FIELD" });
      if (typeof message === "string") expect(error.message).toBe(`new ${Model.name}: ${message}`);
      else expect(error.message).toMatch(message);
      expect(error.message).not.toContain("secret");
    }
  });

  it.each([
    ["Gemini", { ...OPTIONS, vertexAi: {} }, "vertexAi.project must be a non-empty string, not undefined."],
    ["Gemini", { ...OPTIONS, vertexAi: { project: "p", region: "x" } }, /vertexAi.region is not an option/],
    ["Gemini", { ...OPTIONS, apiKey: "k", vertexAi: { project: "p" } }, "give either apiKey or vertexAi, not both."],
    ["Claude", { ...OPTIONS, vertexAi: { project: "p" } }, /vertexAi is not an option/],
    ["GeminiEmbedder", { ...OPTIONS, dimensions: 0 }, "dimensions must be an integer of at least 1, not 0."],
    ["DemoModel", { pauseMs: -1 }, "pauseMs must be an integer of at least 0 milliseconds, not -1."],
  ] as const)("refuses bad options of %s alone: %o", (name, options, message) => {
    const error = refusalOf(() => Reflect.construct(CLASSES[name], [options]));
    if (typeof message === "string") expect(error.message).toBe(`new ${name}: ${message}`);
    else expect(error.message).toMatch(message);
  });

  it("accepts options that are undefined as absent", () => {
    const absent = { apiKey: undefined, baseUrl: undefined, headers: undefined, retry: undefined };
    expect(new Gemini({ ...OPTIONS, ...absent, vertexAi: undefined, clock: undefined }).model).toBe("m");
  });
});

function refusalOf(create: () => unknown): Error {
  try {
    create();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("expected the constructor to throw");
}
