import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { health } from "./health.ts";

async function portAnswering(status: number, stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  stack.use(server);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A listening server has a port.");
  return String(address.port);
}

describe("fairlead health", () => {
  it("succeeds if either of the two ports answers", async () => {
    await using stack = new AsyncDisposableStack();
    const [healthy, ill] = [await portAnswering(200, stack), await portAnswering(500, stack)];
    expect(await health({ PORT: healthy, ADMIN_PORT: ill })).toBe(0);
    expect(await health({ PORT: ill, ADMIN_PORT: healthy })).toBe(0);
    expect(await health({ PORT: ill, ADMIN_PORT: ill })).toBe(1);
  });
});
