import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { switchLogLevelOnSignal } from "./log-level-signal.ts";
import { createLogger, type LogLevel } from "./logger.ts";

async function start(level: LogLevel) {
  const lines: string[] = [];
  const output = await createLogger({
    ...{ level, format: "json", fields: {} },
    destination: { write: (line) => void lines.push(line) },
  });
  const target = new EventEmitter();
  switchLogLevelOnSignal(target, output);
  const { logger } = output;
  return {
    logger,
    signal: () => target.emit("SIGUSR2"),
    read: () => lines.splice(0).map((line): unknown => ({ ...JSON.parse(line), time: "then" })),
  };
}

const changed = (from: LogLevel, to: LogLevel) => ({
  ...{ level: "info", time: "then", from, to, message: "log level changed" },
});

describe("SIGUSR2", () => {
  it("turns details on and off again, in loggers that exist already too", async () => {
    const { logger, signal, read } = await start("warn");
    const child = logger.child({ runId: "r1" });
    const speak = (): void => {
      logger.info({}, "from the first");
      child.debug({}, "from its child");
    };
    speak();
    expect(read()).toEqual([]);
    signal();
    speak();
    expect(read()).toEqual([
      changed("warn", "debug"),
      { level: "info", time: "then", message: "from the first" },
      { level: "debug", time: "then", runId: "r1", message: "from its child" },
    ]);
    signal();
    speak();
    expect(read()).toEqual([changed("debug", "warn")]);
  });

  it("quiets a process whose details are on by its settings", async () => {
    const { logger, signal, read } = await start("debug");
    signal();
    logger.debug({}, "detail");
    expect(read()).toEqual([changed("debug", "info")]);
    signal();
    logger.debug({}, "detail");
    expect(read()).toEqual([changed("info", "debug"), { level: "debug", time: "then", message: "detail" }]);
  });

  it("switches the logs of a silent process on, and off again", async () => {
    const { logger, signal, read } = await start("silent");
    signal();
    signal();
    logger.error({}, "unheard");
    expect(read()).toEqual([changed("silent", "debug"), changed("debug", "silent")]);
  });
});
