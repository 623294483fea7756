import { expect, it } from "vitest";
import { hasSmallDisk, SmallDisk } from "#test/helpers/faults/small-disk.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const AGENT = "name: app\nmodel: demo/echo\ninstruction: x\n";
const USER = "/apps/app/users/ada";
const FIRST = `${USER}/sessions/first`;
const READY_TIMEOUT_MS = 20_000;

it.skipIf(!hasSmallDisk())(
  "answers writes with STORAGE_FULL and is not ready while the disk is full, and recovers by itself",
  { timeout: 60_000 },
  async () => {
    verifies("wire:health");
    using disk = new SmallDisk(16);
    const agents = agentsFolder({ "app/root_agent.yaml": AGENT });
    await using server = new CliProcess(["serve", agents.path, "--port", "0", "--data-dir", disk.path]);
    const [, url = ""] = await server.until(/is ready: (http:\/\/[^/\s]+)/);
    const send = (method: string, path: string, body?: object) =>
      fetch(url + path, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
    const writes = (session: string) => ({
      "session create": () => send("POST", `${USER}/sessions/${session}`, { state: { filler: "x".repeat(10_000) } }),
      run: () =>
        send("POST", "/run", {
          appName: "app",
          userId: "ada",
          sessionId: "first",
          newMessage: { role: "user", parts: [{ text: `${session}: ${"y".repeat(10_000)}` }] },
        }),
      "artifact save": () =>
        send("POST", `${FIRST}/artifacts`, { filename: `${session}.txt`, artifact: { text: "z".repeat(10_000) } }),
      "memory add": () => send("PATCH", `${USER}/memory`, { session_id: "first" }),
      "eval set create": () => send("POST", `/apps/app/eval-sets/${session}`),
    });
    const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;
    const read = async (path: string): Promise<unknown> => (await send("GET", path)).json();

    for (const [name, write] of Object.entries(writes("first"))) expect(await statusOf(write()), name).toBe(200);
    const before = await read(FIRST);
    disk.fill();
    for (const [name, write] of Object.entries(writes("refused"))) {
      const answer = await write();
      const body: unknown = await answer.json();
      expect([answer.status, body, answer.headers.get("retry-after")], name).toEqual([
        503,
        expect.objectContaining({ reason: "STORAGE_FULL" }),
        "30",
      ]);
    }
    const ready = await send("GET", "/ready");
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: "not ready",
        notReady: ["artifact", "eval", "memory", "session"].map((store) => `${store} store (STORAGE_FULL)`),
      },
    ]);
    expect(await read(FIRST)).toEqual(before);

    disk.free();
    await expect.poll(() => statusOf(send("GET", "/ready")), { timeout: READY_TIMEOUT_MS }).toBe(200);
    expect(await read(FIRST)).toEqual(before);
    expect(await statusOf(send("GET", `${USER}/sessions/refused`))).toBe(404);
    for (const [name, write] of Object.entries(writes("second"))) expect(await statusOf(write()), name).toBe(200);
    expect(await read(`${FIRST}/artifacts`)).toEqual(["first.txt", "second.txt"]);
    expect(await read("/apps/app/eval_sets")).toEqual(["first", "second"]);
    expect(await read(`${USER}/sessions/second`)).toMatchObject({ id: "second" });
  },
);
