import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { describeWithStores } from "#test/helpers/servers/service-stores.ts";
import { attackSeconds } from "./attack-options.ts";
import { AttackedServer, type Stall } from "./attacked-server.ts";
import { attack } from "./attacker.ts";
import { readOperations } from "./operations.ts";
import { RAW_CASES, type RawCase } from "./raw-cases.ts";
import { sendRaw } from "./raw-socket.ts";

/** Five sixths of the attack's time on a server with files; readers get the rest. On Postgres it is a third. */
const SECONDS = { files: (attackSeconds() * 5) / 6, Postgres: attackSeconds() / 3 };
/** The first requests load and compile code, which takes more than 100 ms once. */
const WARM_UP_MS = 5000;

const title = `a server under attack, with SEED=${TEST_SEED}`;

describeWithStores(title, {}, (nextStores, stores) => {
  const seconds = SECONDS[stores];
  let server: AttackedServer;

  beforeAll(async () => {
    server = await AttackedServer.start(nextStores().settings);
  });

  afterAll(() => server?.[Symbol.asyncDispose]());

  it(`answers requests of all kinds to every operation for ${seconds} s: no crash, no stall, no fault of its own`, {
    timeout: (seconds + 60) * 1000,
  }, async () => {
    const operations = await readOperations(server.url);
    expect(operations.length).toBeGreaterThan(80);
    await attack(server, operations, { seed: TEST_SEED + 1, milliseconds: WARM_UP_MS });
    const report = await attack(server, operations, { seed: TEST_SEED, milliseconds: seconds * 1000 });
    const statuses = [...report.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    process.stdout.write(
      `SEED=${TEST_SEED}, ${stores}: ${report.sent} requests to ${operations.length} operations; ${statuses.join(", ")}; stalls that did not come again: ${report.passingStalls}\n`,
    );
    expect(report.faults.join("\n\n")).toBe("");
    // Most requests have to pass the first check.
    expect(report.statuses.get(200) ?? 0).toBeGreaterThan(report.sent / 20);
  });

  it.each(RAW_CASES)("survives $name", async (raw) => {
    const before = server.stalls.length;
    const statuses = await sendRaw(server.url, raw);
    expect(statuses.length).toBeLessThanOrEqual(raw.maxAnswers);
    expect(statuses.filter((status) => status >= 500 && status !== 501)).toEqual([]);
    if (raw.isRefused === true) expect(statuses.filter((status) => status < 400)).toEqual([]);
    const probe = await fetch(new URL("/list-apps", server.url));
    expect(probe.status).toBe(200);
    expect(server.stalls.length > before ? await stallsAgain(server, raw) : []).toEqual([]);
    expect(server.end).toBeUndefined();
  });
});

describe("the watch over the server", () => {
  it("notices a turn of its event loop that computes for more than 100 ms", async () => {
    const busy = "setInterval(()=>{for(const end=performance.now()+400;performance.now()<end;);},800)";
    await using server = await AttackedServer.start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(busy)}`,
    });
    await expect.poll(() => server.stalls.length, { timeout: 20_000 }).toBeGreaterThan(0);
  });
});

/** The stalls while the case is repeated. One that does not come again was a collection of garbage or compilation. */
async function stallsAgain(server: AttackedServer, raw: RawCase): Promise<readonly Stall[]> {
  const before = server.stalls.length;
  for (let time = 0; time < 3; time += 1) await sendRaw(server.url, raw);
  return server.stalls.slice(before);
}
