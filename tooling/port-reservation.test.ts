import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { freePorts } from "./free-ports.ts";
import { reservePort } from "./port-reservation.ts";

const run = promisify(execFile);

/** Reserves the port in another process, which then ends. */
async function reserveElsewhere(port: number): Promise<boolean> {
  const module = new URL("./port-reservation.ts", import.meta.url).href;
  const script = `import { reservePort } from ${JSON.stringify(module)}; console.log(reservePort(${port}))`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  return stdout.trim() === "true";
}

it("refuses a port that another process reserved, until that process ends", async () => {
  const [port = 0] = await freePorts(1);

  expect(await reserveElsewhere(port)).toBe(false);
  expect(reservePort(port)).toBe(false);
});

it("gives a port again whose process ended", async () => {
  const port = 14_999;

  expect(await reserveElsewhere(port)).toBe(true);
  expect(reservePort(port)).toBe(true);
  expect(await reserveElsewhere(port)).toBe(false);
});
