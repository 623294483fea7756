import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { UsageError } from "../parse-arguments.ts";
import { runs } from "./runs.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const clock = new FixedClock();

/** A server with an ended and an active run. */
async function startServer(): Promise<GatewayWorld & { readonly ids: readonly [ended: string, active: string] }> {
  const world = await startGateway({
    clock,
    script: async () => {
      if (world.runner.started.length > 1) await new Promise(() => {});
    },
  });
  await world.store.createSession(KEY);
  const ended = await world.runner.startRun({ session: KEY, request: {} });
  await expect.poll(async () => (await world.store.get(ended.runId))?.status).toBe("succeeded");
  const active = await world.runner.startRun({ session: KEY, request: {} });
  return Object.assign(world, { ids: [ended.runId, active.runId] as const });
}

const on = (url: string, ...typed: readonly string[]): Promise<string> => runs({ typed, defaultUrl: url, clock });

describe("fairlead runs", () => {
  it("lists runs as a table, newest first, with their lease", async () => {
    await using world = await startServer();
    const [ended, active] = world.ids;
    const table = await on(await world.listen(), "list");
    expect(table.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["RUN", "STATUS", "APP", "USER", "SESSION", "ATTEMPTS", "HOLDER", "EPOCH", "AGE"],
      [active, "running", "echo", "u", "s", "1", "test", "2", "0s"],
      [ended, "succeeded", "echo", "u", "s", "1", "-", "1", "0s"],
    ]);
  });

  it("lists the requested runs, as JSON", async () => {
    await using world = await startServer();
    const [ended, active] = world.ids;
    const url = await world.listen();
    const list = async (...typed: readonly string[]) =>
      (JSON.parse(await on(url, "list", "--json", ...typed)) as { runId: string }[]).map(({ runId }) => runId);
    expect(await list()).toEqual([active, ended]);
    expect(await list("--status", "succeeded")).toEqual([ended]);
    expect(await list("--app", "echo", "--user", "u", "--session", "s")).toEqual([active, ended]);
    expect(await list("--app", "other")).toEqual([]);
    expect(await list("--limit", "1")).toEqual([active]);
    expect(await on(url, "list", "--status", "failed")).toBe("No runs.");
  });

  it("shows, cancels and requeues a run", async () => {
    await using world = await startServer();
    const [ended, active] = world.ids;
    const url = await world.listen();
    expect(JSON.parse(await on(url, "show", ended))).toMatchObject({ runId: ended, status: "succeeded", attempts: 1 });
    expect(await on(url, "cancel", active)).toBe(`Run ${active} is asked to end.`);
    expect(await on(url, "cancel", ended)).toBe(`Run ${ended} is succeeded.`);
    const { runs: before } = await world.store.list({});
    const said = await on(url, "requeue", ended);
    const [added] = (await world.store.list({})).runs;
    expect([said, before.length]).toEqual([`Run ${ended} is requeued as ${added?.runId}, which is pending.`, 2]);
  });

  it("shows a run that was answered as such, and lists those that still wait", async () => {
    await using world = await startGateway({ clock, script: async () => ({ status: "awaiting_input" }) });
    await world.store.createSession(KEY);
    const begin = (runId: string) =>
      world.store.begin({
        ...{ runId, session: KEY, invocationId: "i", request: {}, policy: "enqueue", holder: "h", leaseMs: 1000 },
        haveRevision: 0,
      });
    for (const runId of ["asked", "asked-again"]) {
      const begun = await begin(runId);
      if (begun.kind !== "started") throw new Error("The run did not start.");
      await world.store.finish({ lease: begun.lease, afterRevision: 0, events: [], status: "awaiting_input" });
    }
    const url = await world.listen();
    const cells = (table: string) => table.split("\n").map((line) => line.split(/ {2,}/).slice(0, 2));
    expect(cells(await on(url, "list", "--user", "u"))).toEqual([
      ["RUN", "STATUS"],
      ["asked-again", "awaiting_input"],
      ["asked", "answered"],
    ]);
    expect(cells(await on(url, "list", "--status", "awaiting_input")).slice(1)).toEqual([
      ["asked-again", "awaiting_input"],
    ]);
    expect(JSON.parse(await on(url, "show", "asked"))).toMatchObject({ answeredBy: "asked-again" });
  });

  it("prints the server's message for a refusal", async () => {
    await using world = await startServer();
    const url = await world.listen();
    await expect(on(url, "show", "no/such run")).rejects.toThrow(
      expect.objectContaining({ reason: "RUN_NOT_FOUND", message: "Run not found: no/such run" }),
    );
  });

  it("reports that the server does not answer, and how to name another one", async () => {
    const failure = await on("http://127.0.0.1:1", "list").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PlatformError);
    expect(String(failure)).toContain("No answer from http://127.0.0.1:1: is the server running?");
  });

  it.each([
    [[], /Usage: fairlead runs list\|show\|cancel\|requeue/],
    [["lits"], /no command "runs lits".*list/],
    [["show"], /Usage: fairlead runs show <run id>/],
    [["cancel", "a", "b"], /Usage: fairlead runs cancel/],
    [["list", "--status", "done"], /--status needs one of pending, running/],
    [["list", "--session", "s", "--user", "u"], /need --app, --user and --session/],
    [["list", "--limit", "many"], /--limit needs a whole number/],
    [["list", "--url", "nowhere"], /--url needs an address/],
    [["list", "--colour"], /Unknown option '--colour'/],
  ])("refuses %j", async (typed, message) => {
    const failure = await runs({ typed, defaultUrl: undefined, clock }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toMatch(message);
  });

  it("prints no control characters of the terminal", async () => {
    await using world = await startGateway({ clock });
    const key = { ...KEY, userId: "u\u202Ev" };
    await world.store.createSession(key);
    await world.runner.startRun({ session: key, request: {} });
    expect(await on(await world.listen(), "list")).toMatch(/ {2}u\\u202ev {2}/);
  });
});
