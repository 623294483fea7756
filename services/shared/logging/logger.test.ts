import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { createLogger, type LogLevel } from "./logger.ts";

async function capture(level: LogLevel = "info") {
  const lines: string[] = [];
  const { logger } = await createLogger({
    level,
    format: "json",
    fields: { service: "test" },
    destination: { write: (line) => void lines.push(line) },
  });
  const read = (): Record<string, unknown>[] => lines.map((line) => ({ ...JSON.parse(line), time: "then" }));
  return { logger, read };
}

describe("createLogger", () => {
  it("writes one JSON object a line, with the fields of its parents", async () => {
    const { logger, read } = await capture();
    logger.child({ runId: "r1" }).info({ sessionId: "s1" }, "run started");
    expect(read()).toEqual([
      { level: "info", time: "then", service: "test", runId: "r1", sessionId: "s1", message: "run started" },
    ]);
  });

  it("leaves out what is below its level", async () => {
    const { logger, read } = await capture("warn");
    logger.info({}, "quiet");
    logger.warn({}, "loud");
    expect(read().map(({ message }) => message)).toEqual(["loud"]);
  });

  it("never writes secrets", async () => {
    const { logger, read } = await capture();
    logger.info(
      { apiKey: "k", request: { authorization: "Bearer abc" }, headers: { cookie: "c=1", "x-api-key": "k" } },
      "call",
    );
    expect(read()).toEqual([
      {
        level: "info",
        time: "then",
        service: "test",
        apiKey: "[redacted]",
        request: { authorization: "[redacted]" },
        headers: { cookie: "[redacted]", "x-api-key": "[redacted]" },
        message: "call",
      },
    ]);
  });

  it("logs an error with its reason and causes, without the secrets in their texts", async () => {
    const { logger, read } = await capture();
    const request = new Error("GET https://model.test/v1?key=AIzaSecret&x=1 with Bearer abcdefghijkl failed");
    Object.assign(request, { config: { headers: { authorization: "Bearer abcdefghijkl" } } });
    logger.error({ error: new PlatformError("STORE_UNAVAILABLE", "The store failed.", { cause: request }) }, "failed");
    const error = read()[0]?.["error"];
    expect(error).toMatchObject({
      type: "PlatformError",
      message: "The store failed.",
      reason: "STORE_UNAVAILABLE",
      cause: { type: "Error", message: "GET https://model.test/v1?key=[redacted]&x=1 with Bearer [redacted] failed" },
    });
    expect(JSON.stringify(error)).not.toMatch(/AIzaSecret|abcdefghijkl/);
  });
});
