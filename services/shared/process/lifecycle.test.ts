import { describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { onTermination, type ShutdownSteps, shutDown } from "./lifecycle.ts";

/** Time that passes immediately, unless the wait is aborted first. */
function recorder(stopAccepting: (log: string[]) => Promise<void>) {
  const log: string[] = [];
  const sleep: Sleep = async (milliseconds, signal) => {
    // Work that is done already wins over a deadline.
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    log.push(`waited ${milliseconds}`);
  };
  const step = (name: string) => async () => void log.push(name);
  const steps: ShutdownSteps = {
    stopBeingReady: () => void log.push("not ready"),
    graceMs: 5,
    stopAccepting: () => {
      log.push("stop accepting");
      return stopAccepting(log);
    },
    drainMs: 20,
    abortStragglers: step("abort"),
    abortMs: 7,
    flushTelemetry: step("flush"),
    dispose: step("dispose"),
  };
  return { log, steps, context: { sleep, logger: silentLogger } };
}

describe("shutDown", () => {
  it("goes from readiness to exit code in one fixed order", async () => {
    const { log, steps, context } = recorder(async () => {});
    expect(await shutDown(steps, context)).toBe(0);
    expect(log).toEqual(["not ready", "waited 5", "stop accepting", "flush", "dispose"]);
  });

  it("aborts what does not end by itself, and waits for its end", async () => {
    const aborted = Promise.withResolvers<void>();
    const { log, steps, context } = recorder(() => aborted.promise);
    const abortStragglers = async (): Promise<void> => {
      log.push("abort");
      aborted.resolve();
    };
    expect(await shutDown({ ...steps, abortStragglers }, context)).toBe(0);
    expect(log).toEqual(["not ready", "waited 5", "stop accepting", "waited 20", "abort", "flush", "dispose"]);
  });

  it("abandons work that does not end when aborted, and reports it by its exit code", async () => {
    const { log, steps, context } = recorder(() => new Promise(() => {}));
    expect(await shutDown(steps, context)).toBe(1);
    expect(log.slice(-5)).toEqual(["waited 20", "abort", "waited 7", "flush", "dispose"]);
  });

  it("continues after a step that fails", async () => {
    const { log, steps, context } = recorder(async () => {});
    const flushTelemetry = async (): Promise<void> => {
      throw new Error("collector is gone");
    };
    expect(await shutDown({ ...steps, flushTelemetry }, context)).toBe(1);
    expect(log.at(-1)).toBe("dispose");
  });
});

describe("onTermination", () => {
  function target() {
    const listeners = new Map<string, () => void>();
    const exits: number[] = [];
    return {
      exits,
      send: (signal: "SIGINT" | "SIGTERM") => listeners.get(signal)?.(),
      on: (signal: string, listener: () => void) => void listeners.set(signal, listener),
      exit: (code: number) => void exits.push(code),
    };
  }

  it("exits with the shutdown's code", async () => {
    const process = target();
    onTermination(process, async () => 3);
    process.send("SIGTERM");
    await new Promise(setImmediate);
    expect(process.exits).toEqual([3]);
  });

  it("exits immediately on a second signal", () => {
    const process = target();
    onTermination(process, () => new Promise(() => {}));
    process.send("SIGTERM");
    process.send("SIGINT");
    expect(process.exits).toEqual([130]);
  });

  it("exits with 1 when the shutdown itself fails", async () => {
    const process = target();
    onTermination(process, () => Promise.reject(new Error("no")));
    process.send("SIGINT");
    await new Promise(setImmediate);
    expect(process.exits).toEqual([1]);
  });
});
