import { Client } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { ConnectionPool, PoolFullError } from "./connection-pool.ts";
import { McpConnection } from "./mcp-connection.ts";

const { signal } = new AbortController();

function createPool(maxConnections: number, maxTotal = 100) {
  const pool = new ConnectionPool({ maxConnections, maxTotal, idleTimeoutMs: 60_000 });
  const opened: McpConnection[] = [];
  const open = async () => {
    const capabilities = { elicitation: {}, roots: {} };
    const client = new Client({ name: "test", version: "1" }, { capabilities });
    const connection = new McpConnection(client, { requestMs: 1, allowSampling: false });
    opened.push(connection);
    return connection;
  };
  const use = <Result>(work: (connection: McpConnection) => Promise<Result>, key = "a") =>
    pool.use(key, { open, signal }, work);
  return { pool, opened, use };
}

describe("ConnectionPool", () => {
  it("opens for 1,000 calls no more connections than its size, and lends each to one call at a time", async () => {
    verifies("tools:mcp:pool");
    const { opened, use } = createPool(3);
    const lent = new Set<McpConnection>();
    const call = () =>
      use(async (connection) => {
        expect(lent.has(connection)).toBe(false);
        lent.add(connection);
        await new Promise(setImmediate);
        lent.delete(connection);
      });
    await Promise.all(Array.from({ length: 500 }, call));
    for (let index = 0; index < 500; index += 1) await call();
    expect(opened).toHaveLength(3);
  });

  it("lends none that has closed, nor one of another key", async () => {
    verifies("tools:mcp:pool");
    const { opened, pool, use } = createPool(1);
    await use((connection) => connection.close());
    await use(async () => undefined);
    await use(async () => undefined, "b");
    expect([opened.length, pool.size]).toEqual([3, 2]);
    await pool.close();
    expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, false, false]);
  });

  it("closes an unused one for another key when it is full, and refuses when all are in use", async () => {
    const { opened, use } = createPool(1, 1);
    await use(async () => undefined);
    await use(async () => {
      await expect(use(async () => undefined, "c")).rejects.toThrow(PoolFullError);
    }, "b");
    expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });

  it("passes a connection on when the call that was notified of it is cancelled", async () => {
    const { pool, opened, use } = createPool(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const cancelled = new AbortController();
    const first = use(async () => {
      await held;
      // In the turn in which the waiting call is notified, before it continues.
      queueMicrotask(() => queueMicrotask(() => cancelled.abort(new Error("cancelled"))));
    });
    const second = pool.use("a", { open: () => expect.unreachable(), signal: cancelled.signal }, async () => "second");
    const third = use(async () => "third");
    release();
    await first;
    cancelled.abort(new Error("cancelled"));
    const outcomes = await Promise.allSettled([second, third]);
    expect(outcomes[1]).toEqual({ status: "fulfilled", value: "third" });
    expect(opened).toHaveLength(1);
    await pool.close();
  });

  it("returns a connection after work that fails, and calls that wait are ended by their signal or the pool", async () => {
    const { pool, opened, use } = createPool(1);
    await expect(use(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await use(async () => "next")).toBe("next");
    expect(opened).toHaveLength(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const working = use(() => held);
    const cancelled = new AbortController();
    const waiting = pool.use("a", { open: () => expect.unreachable(), signal: cancelled.signal }, async () => 1);
    const closed = use(async () => 1);
    cancelled.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
    await pool.close();
    await expect(closed).rejects.toThrow("the toolset is closed");
    await expect(use(async () => 1)).rejects.toThrow(PoolFullError);
    release();
    await working;
    expect(pool.size).toBe(0);
  });

  it("closes a connection that is not used for its time, and lends one that is", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { pool, opened, use } = createPool(1);
    await use(async () => 1);
    vi.advanceTimersByTime(59_999);
    await use(async () => 1);
    vi.advanceTimersByTime(59_999);
    expect([opened.length, pool.size, opened[0]?.isOpen]).toEqual([1, 1, true]);
    vi.advanceTimersByTime(1);
    expect([pool.size, opened[0]?.isOpen]).toEqual([0, false]);
    await use(async () => 1);
    expect(opened).toHaveLength(2);
  });

  it("serves the next call after one whose connection could not be opened", async () => {
    const { pool, use } = createPool(1);
    const failing = () => pool.use("a", { open: () => Promise.reject(new Error("down")), signal }, async () => 1);
    await expect(Promise.all([failing(), failing()])).rejects.toThrow("down");
    expect(await use(async () => "served")).toBe("served");
  });

  it("opens another for the call that waits for one that has closed", async () => {
    const { opened, use } = createPool(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const first = use(async (connection) => {
      await held;
      await connection.close();
    });
    const waiting = [use(async () => "second"), use(async () => "third")];
    release();
    await first;
    expect([await Promise.all(waiting), opened.length]).toEqual([["second", "third"], 2]);
  });

  it("lends none that has closed while nobody used it", async () => {
    const { pool, opened, use } = createPool(1);
    await use(async () => 1);
    await opened[0]?.close();
    expect(await use(async (connection) => connection.isOpen)).toBe(true);
    expect([opened.length, pool.size]).toEqual([2, 1]);
    await pool.close();
  });

  it("opens as many as all keys together may have, one of them again after it has closed", async () => {
    const { pool, opened, use } = createPool(2, 2);
    const inUse = await use((connection) =>
      use(async () => {
        await expect(use(async () => 1, "b")).rejects.toThrow("all 2 connections of the toolset are in use");
        await connection.close();
        return pool.size;
      }),
    );
    expect([inUse, pool.size]).toEqual([2, 1]);
    await use(async () => use(async () => 1, "c"), "b");
    expect([opened.length, pool.size]).toEqual([4, 2]);
    pool.closeUnused("b");
    expect([pool.size, opened.map(({ isOpen }) => isOpen)]).toEqual([1, [false, false, false, true]]);
  });
});
