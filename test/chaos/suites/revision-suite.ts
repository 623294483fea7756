import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { AGENT_REVISION_KEY } from "#kit/events/event.ts";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import { eventually, pauseFor } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";

/** An app whose answer is the name of its agent. A message `slow` waits, and its process notes that it has begun. */
const componentsOf = (logFile: string): string => `import { appendFileSync } from "node:fs";
export function registerComponents(registry) {
  registry.callbacks.register("answer", async (context) => {
    const { text } = context.userContent.parts[0];
    if (text === "slow") {
      appendFileSync(${JSON.stringify(logFile)}, process.pid + " " + text + "\\n");
      await new Promise((resolve) => setTimeout(resolve, 8000));
    }
    return { role: "model", parts: [{ text: context.agentName }] };
  });
}
`;

interface WireRun {
  readonly runId: string;
  readonly status: string;
  readonly attempts: number;
  readonly agentRevision?: string;
  readonly error?: { readonly reason: string };
}

interface WireSession {
  readonly events: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
    readonly customMetadata?: Readonly<Record<string, unknown>>;
  }[];
}

/** Agents that change while people talk to them, on two runners with folders of their own. */
export function revisionSuite(test: FaultTest): void {
  test("R1 runners that get new files one after the other answer with the old version and then with the new one, and no session goes back", async ({
    rig,
  }) => {
    const app = new ChangingApp(rig, "r1");
    app.write(0, "one");
    app.write(1, "one");
    const sessions = ["a", "b", "c"];
    for (const session of sessions) expect(await app.answer(session)).toBe("one");
    const answers: string[] = [];
    app.write(0, "two");
    const talk = async (until: number): Promise<void> => {
      while (performance.now() < until) {
        answers.push(await app.answer(`new-${answers.length}`, answers.length % 2));
        answers.push(await app.answer(sessions[answers.length % 3] ?? "a", answers.length % 2));
      }
    };
    await talk(performance.now() + 5_000);
    expect([new Set(answers), answers.length > 20]).toEqual([new Set(["one"]), true]);
    app.write(1, "two");
    await talk(performance.now() + 12_000);
    const first = answers.indexOf("two");
    expect(first).toBeGreaterThan(0);
    expect(answers.slice(first).filter((answer) => answer !== "two")).toEqual([]);
    for (const session of sessions) {
      expect(await app.answer(session)).toBe("two");
      expect(await app.changes(session)).toHaveLength(1);
    }
  });

  test("R2 a run whose runner is killed after a change of its app ends on the version that it began with", async ({
    rig,
  }) => {
    const app = new ChangingApp(rig, "r2");
    for (const runner of [0, 1]) app.write(runner, "one");
    // Both runners have loaded it.
    for (let turn = 0; turn < 20; turn += 1) await app.answer(`warm-${turn}`, turn % 2);
    const run = await app.start("slow", "kill");
    await eventually("the run has begun", () => app.begun("slow").length > 0);
    for (const runner of [0, 1]) app.write(runner, "two");
    await eventually(
      "new sessions get the new version",
      async () => (await app.answer(`after-${Date.now()}`)) === "two",
    );
    const before = await app.run(run);
    const holder = rig.replicas("runner").findIndex(({ pid }) => pid === app.begun("slow")[0]);
    await rig.kill("runner", holder);
    await eventually("the run has ended", async () => (await app.run(run)).status === "succeeded", 30_000);
    const after = await app.run(run);
    expect(after).toMatchObject({ attempts: 2, agentRevision: before.agentRevision });
    expect([await app.lastText("kill"), await app.changes("kill")]).toEqual(["one", []]);
    await rig.restart("runner", holder);
  });

  test("R3 a run whose version is gone continues with the present one, and its session shows that", async ({ rig }) => {
    const app = new ChangingApp(rig, "r3");
    for (const runner of [0, 1]) app.write(runner, "one");
    const run = await app.start("slow", "gone");
    await eventually("the run has begun", () => app.begun("slow").length > 0);
    const before = await app.run(run);
    for (const runner of [0, 1]) await rig.kill("runner", runner);
    for (const runner of [0, 1]) app.write(runner, "two");
    for (const runner of [0, 1]) await rig.restart("runner", runner);
    await eventually("the run has ended", async () => (await app.run(run)).status === "succeeded", 45_000);
    const after = await app.run(run);
    expect(await app.lastText("gone")).toBe("two");
    expect(await app.changes("gone")).toEqual([{ from: before.agentRevision, to: after.agentRevision }]);
    expect(after.agentRevision).not.toBe(before.agentRevision);
  });

  test("R4 sessions stay on their version while a runner that has it lives, and move when it is gone", async ({
    rig,
  }) => {
    const app = new ChangingApp(rig, "r4");
    for (const runner of [0, 1]) app.write(runner, "one");
    for (let turn = 0; turn < 20; turn += 1) await app.answer(`stays-${turn % 4}`, turn % 2);
    // As in a rollout of an image: the new process knows only the new version.
    await rig.kill("runner", 1);
    app.write(1, "two");
    await rig.restart("runner", 1);
    const answers: string[] = [];
    for (let turn = 0; turn < 24; turn += 1) answers.push(await app.answer(`stays-${turn % 4}`, turn % 2));
    expect(new Set(answers)).toEqual(new Set(["one"]));
    await rig.kill("runner", 0);
    app.write(0, "two");
    await rig.restart("runner", 0);
    await pauseFor(500);
    for (let session = 0; session < 4; session += 1) {
      expect(await app.answer(`stays-${session}`)).toBe("two");
      expect(await app.changes(`stays-${session}`)).toHaveLength(1);
    }
  });
}

/** One app of the rig's runners, and its user. */
class ChangingApp {
  readonly #rig: ChaosRig;
  readonly #name: string;

  constructor(rig: ChaosRig, name: string) {
    this.#rig = rig;
    this.#name = name;
  }

  /** Writes a version to the folder of one runner. */
  write(runner: number, version: string): void {
    const folder = join(this.#rig.agentsFolder(runner), this.#name);
    mkdirSync(folder, { recursive: true });
    const components = join(folder, "components.ts");
    if (!existsSync(components)) writeFileSync(components, componentsOf(this.#logFile));
    writeFileSync(
      join(folder, "root_agent.yaml"),
      `name: ${version}\nmodel: demo/chat\ninstruction: x\nbeforeAgentCallbacks: [{name: answer}]\n`,
    );
  }

  get #logFile(): string {
    return `${this.#rig.logFile}-${this.#name}`;
  }

  /** The processes in which a message was begun. */
  begun(text: string): readonly number[] {
    if (!existsSync(this.#logFile)) return [];
    const lines = readFileSync(this.#logFile, "utf8").split("\n");
    return lines.filter((line) => line.endsWith(` ${text}`)).map((line) => Number(line.split(" ")[0]));
  }

  /** What the app answers to a turn of the session. */
  async answer(session: string, gateway = 0): Promise<string> {
    const body = this.#body(session, "hi");
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const response = await this.#post("/run", body, gateway + attempt);
      const events = response.ok ? await response.json() : undefined;
      const texts = (Array.isArray(events) ? events : []).flatMap((event) => event.content?.parts?.[0]?.text ?? []);
      if (texts.length > 0) return String(texts.at(-1));
      await pauseFor(200);
    }
    throw new Error(`${session} got no answer.`);
  }

  async start(text: string, session: string): Promise<string> {
    const response = await this.#post("/v1/runs", this.#body(session, text), 0);
    const { runId } = (await response.json()) as WireRun;
    return runId;
  }

  async run(runId: string): Promise<WireRun> {
    return (await fetch(`${this.#rig.gatewayUrl(0)}/v1/runs/${runId}`)).json() as Promise<WireRun>;
  }

  async lastText(session: string): Promise<string | undefined> {
    return (await this.#events(session)).flatMap((event) => event.content?.parts?.[0]?.text ?? []).at(-1);
  }

  /** The changes of the agent revision that the session shows. */
  async changes(session: string): Promise<readonly unknown[]> {
    return (await this.#events(session)).flatMap((event) => event.customMetadata?.[AGENT_REVISION_KEY] ?? []);
  }

  async #events(session: string) {
    const path = `/apps/${this.#name}/users/ada/sessions/${session}`;
    const { events } = (await (await fetch(this.#rig.gatewayUrl(0) + path)).json()) as WireSession;
    return events;
  }

  #body(sessionId: string, text: string) {
    const newMessage = { role: "user", parts: [{ text }] };
    return { appName: this.#name, userId: "ada", sessionId, newMessage };
  }

  #post(path: string, body: unknown, gateway: number): Promise<Response> {
    return fetch(this.#rig.gatewayUrl(gateway % 2) + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
}
