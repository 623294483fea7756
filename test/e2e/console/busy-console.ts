import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { UiWorld } from "../ui-world.ts";

/** Folder for screenshots of the pages, for review. */
const PICTURES = process.env["CONSOLE_PICTURES"];
const QUOTAS = `
defaults: { user: { tokensPerDay: 1000000, usdPerDay: 5 } }
prices: { demo/weather: { input: 0.3, output: 2.5 } }
`;

/** A server whose console has something on each of its pages. */
export class BusyConsole implements AsyncDisposable {
  readonly world: UiWorld;
  /** The run of the session `paris`, which has succeeded. */
  readonly runId: string;
  readonly #receiver: Server;
  readonly #folder: string;

  static async start(): Promise<BusyConsole> {
    const folder = mkdtempSync(join(tmpdir(), "busy-"));
    const quotas = join(folder, "quotas.yaml");
    writeFileSync(quotas, QUOTAS);
    const receiver = createServer((_request, response) => response.writeHead(503).end("Out <b>of</b> order")).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => receiver.once("listening", resolve));
    const { port } = receiver.address() as AddressInfo;
    const env = { SCHEDULES: "memory", WEBHOOKS: "memory", QUOTAS_FILE: quotas };
    const world = await UiWorld.start(undefined, { ...env, OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${port}` });
    const console = new BusyConsole(world, await fill(world, port), { receiver, folder });
    return console;
  }

  private constructor(
    world: UiWorld,
    runId: string,
    { receiver, folder }: { readonly receiver: Server; readonly folder: string },
  ) {
    this.world = world;
    this.runId = runId;
    this.#receiver = receiver;
    this.#folder = folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    this.#receiver.closeAllConnections();
    this.#receiver.close();
    rmSync(this.#folder, { recursive: true });
  }
}

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

export async function post(
  world: UiWorld,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
  // The routes answer with objects, except for the one of runs, whose answer is not read.
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

/** Starts a run in the background, in a session of its own, and waits for its end. */
export async function run(world: UiWorld, appName: string, sessionId: string, text: string): Promise<string> {
  await post(world, `/apps/${appName}/users/ada/sessions/${sessionId}`);
  const newMessage = { role: "user", parts: [{ text }] };
  const { runId } = await post(world, "/v1/runs", { appName, userId: "ada", sessionId, newMessage });
  const isOpen = async () => {
    const { status } = (await (await fetch(`${world.url}/v1/runs/${String(runId)}`)).json()) as { status: string };
    return status === "pending" || status === "running";
  };
  await expect.poll(isOpen).toBe(false);
  return String(runId);
}

async function fill(world: UiWorld, port: number): Promise<string> {
  await post(world, "/v1/webhooks", { url: `http://127.0.0.1:${port}/runs`, name: "Ticket system", apps: ["weather"] });
  await post(world, "/v1/webhooks", { url: `http://127.0.0.1:${port}/off`, enabled: false, events: ["run.failed"] });
  const runId = await run(world, "weather", "paris", "What is the weather in Paris?");
  await run(world, "expenses", "trip", "Reimburse 250 euros for a chair");
  const schedule = {
    appName: "weather",
    userId: "ada",
    name: "Morning",
    cron: "0 9 * * *",
    text: "The weather in Rome?",
  };
  await post(world, "/v1/schedules", schedule);
  const userContent = { role: "user", parts: [{ text: "What is the weather in Paris?" }] };
  const finalResponse = { role: "model", parts: [{ text: "It is sunny." }] };
  const evalCases = [{ evalId: "paris", conversation: [{ userContent, finalResponse }] }];
  await post(world, "/apps/weather/eval-sets", { evalSet: { evalSetId: "cities", evalCases } });
  await post(world, "/v1/evals", { appName: "weather", evalSetId: "cities", evalMetrics: ["response_match_score"] });
  return runId;
}
