import { describe, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { verifies } from "#test/helpers/verifies.ts";
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

it("shows control characters of logged texts as escapes on a terminal", async () => {
  verifies("peers:terminal:visible");
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { logger } = await createLogger({ level: "info", format: "pretty" });
  logger.info({ tool: "a\u001b[2J\u009b1m\\u001b" }, "said \r\u202e\u0007\nand more");
  const line = write.mock.calls.map(([chunk]) => String(chunk)).join("");
  write.mockRestore();
  expect(line.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(line).toContain("said \\r\\u202e\\u0007");
});
