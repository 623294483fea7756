import { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
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

  it("serves the next call after one whose connection could not be opened", async () => {
    const { pool, use } = createPool(1);
    const failing = () => pool.use("a", { open: () => Promise.reject(new Error("down")), signal }, async () => 1);
    await expect(Promise.all([failing(), failing()])).rejects.toThrow("down");
    expect(await use(async () => "served")).toBe("served");
  });
});
