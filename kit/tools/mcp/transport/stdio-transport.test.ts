import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { StdioTransport } from "./stdio-transport.ts";

const LEAVING = `
  require("node:fs").closeSync(0);
  console.log("closed");
  setTimeout(() => process.exit(3), 100);
`;

it("tells how its process ended, although a message could not be written to it before", async () => {
  verifies("tools:mcp:start-errors");
  const { promise: closed, resolve } = Promise.withResolvers<Error>();
  const transport = new StdioTransport({ command: process.execPath, args: ["-e", LEAVING], env: {}, cwd: undefined });
  // The line that is not a message.
  transport.onerror = resolve;
  await transport.start();
  await closed;
  await expect(transport.send({ jsonrpc: "2.0", method: "ping", id: 1 })).rejects.toThrow("EPIPE");
  await transport.close();
  expect(transport.endedEarly?.message).toBe("its process ended with code 3.");
});
