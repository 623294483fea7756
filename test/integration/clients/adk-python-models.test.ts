import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toEventJson } from "#kit/events/event-record.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { findPythonWithAdk } from "#test/helpers/clients/adk-clients.ts";
import { ClientServer } from "#test/helpers/servers/client-server.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const python = await findPythonWithAdk();
const PROGRAM = fileURLToPath(new URL("../../fixtures/adk-python/read.py", import.meta.url));
const TIMEOUT_MS = 180_000;

/** An answer of the server and the class of google-adk that has to parse it. */
interface Recorded {
  readonly label: string;
  readonly as: string;
  readonly value: unknown;
}

interface Verdict {
  readonly count: number;
  readonly refused: readonly { readonly label: string; readonly problem: string }[];
}

/** google-adk has agents in Python and in YAML only; ours are in TypeScript, and their description says so. */
function inKnownLanguage(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"language":"typescript"', '"language":"python"'));
}

/** Parses the answers with google-adk's classes. */
async function readWithPython(recorded: readonly Recorded[]): Promise<Verdict> {
  const reader = spawn(python ?? "", [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  reader.stdin.end(recorded.map((line) => `${JSON.stringify(line)}\n`).join(""));
  // The form of the program's output.
  return JSON.parse(await text(reader.stdout)) as Verdict;
}

const userText = (word: string) => ({ role: "user", parts: [{ text: word }] });

/** One user's requests that cover all features of the fixture's agents. */
class Recording {
  readonly answers: Recorded[] = [];
  readonly #server: ClientServer;

  constructor(server: ClientServer) {
    this.#server = server;
  }

  async record(as: string, path: string, { method = "GET", body }: { method?: string; body?: object } = {}) {
    const value = await this.#server.call(method, path, body);
    this.answers.push({ label: `${method} ${path} ${JSON.stringify(body ?? "")}`, as, value });
    return value;
  }

  /** A request whose answer has no class. */
  async call(method: string, path: string, body: object): Promise<void> {
    await this.#server.call(method, path, body);
  }

  /** The run's events, which are also read from the stream if the run is streamed. */
  async run(appName: string, newMessage: object, streaming = false): Promise<readonly RunEvent[]> {
    const body = { appName, userId: "py", sessionId: "all", newMessage, streaming };
    // A list of events, as the class declares.
    if (!streaming) return (await this.record("Event[]", "/run", { method: "POST", body })) as readonly RunEvent[];
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#server.url}/run_sse`, init);
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    const events = lines.map((line) => JSON.parse(line.slice("data: ".length)) as RunEvent);
    for (const value of events)
      if (value.error === undefined)
        this.answers.push({ label: `stream ${JSON.stringify(newMessage)}`, as: "Event", value });
    return events;
  }
}

interface RunEvent {
  readonly error?: string;
  readonly id: string;
  readonly content?: {
    readonly parts?: readonly { readonly functionCall?: { readonly id: string; readonly name: string } }[];
  };
}

function answerTo(events: readonly RunEvent[], response: object): object {
  const { id, name } =
    events.flatMap(({ content }) => content?.parts ?? []).findLast((part) => part.functionCall)?.functionCall ?? {};
  return { role: "user", parts: [{ functionResponse: { id, name, response } }] };
}

async function recordRuns(recording: Recording): Promise<void> {
  const words = ["hello", "look", "sign in", "files", "clear", "code", "bad code", "unknown", "hotel"];
  for (const [index, word] of words.entries()) await recording.run("desk", userText(word), index % 2 === 0);
  for (const word of ["fail", "safety"]) await recording.run("desk", userText(word), true);
  await recording.run("desk", { role: "user", parts: [{ text: "hello", color: "red" }] });
  const image = { inlineData: { mimeType: "image/png", data: Buffer.alloc(300_000, 1).toString("base64") } };
  await recording.run("desk", { role: "user", parts: [{ text: "hello" }, image] }, true);
}

async function recordAnswers(recording: Recording): Promise<void> {
  for (const [word, response] of [
    ["pay", { confirmed: true }],
    ["pay", { confirmed: false }],
    ["ask", { confirmed: false, payload: { limit: 2 } }],
  ] as const) {
    const asked = await recording.run("desk", userText(word));
    await recording.run("desk", answerTo(asked, response));
  }
  const waiting = await recording.run("desk", userText("wait"), true);
  await recording.run("desk", answerTo(waiting.slice(0, 1), { status: "approved" }), true);
}

async function recordRoutes(recording: Recording): Promise<void> {
  const session = "/apps/desk/users/py/sessions/all";
  const stored = (await recording.record("Session", session)) as { readonly events: readonly RunEvent[] };
  await recording.record("Session[]", "/apps/desk/users/py/sessions");
  await recording.record("str[]", "/list-apps");
  await recording.record("ListAppsResponse", "/list-apps?detailed=true");
  await recording.record("AppInfo", "/apps/desk/app-info");
  await recording.record("str[]", `${session}/artifacts`);
  await recording.record("int[]", `${session}/artifacts/b.png/versions`);
  await recording.record("Part", `${session}/artifacts/b.png`);
  await recording.record("Part", `${session}/artifacts/b.png/versions/0`);
  await recording.record("ArtifactVersion[]", `${session}/artifacts/b.png/versions/metadata`);
  await recording.record("ArtifactVersion", `${session}/artifacts/b.png/versions/0/metadata`);
  const artifact = { filename: "c.txt", artifact: { text: "c" }, customMetadata: { by: "client" } };
  await recording.record("ArtifactVersion", `${session}/artifacts`, { method: "POST", body: artifact });
  for (const { id } of stored.events.slice(0, 3))
    await recording.record("GetEventGraphResult", `/dev${session}/events/${id}/graph`);
  const evalSet = { eval_set: { eval_set_id: "smoke", name: "Smoke", eval_cases: [] } };
  await recording.record("EvalSet", "/dev/apps/desk/eval-sets", { method: "POST", body: evalSet });
  const added = { eval_id: "c1", session_id: "all", user_id: "py" };
  await recording.call("POST", "/dev/apps/desk/eval-sets/smoke/add-session", added);
  await recording.record("EvalSet", "/dev/apps/desk/eval-sets/smoke");
  await recording.record("EvalCase", "/dev/apps/desk/eval-sets/smoke/eval-cases/c1");
  await recording.record("ListEvalSetsResponse", "/dev/apps/desk/eval-sets");
  await recording.record("ListEvalResultsResponse", "/dev/apps/desk/eval-results");
  await recording.record("ListMetricsInfoResponse", "/dev/apps/desk/metrics-info");
}

describe.skipIf(python === undefined)("google-adk's models", () => {
  it("read all that a server answers on the routes of the protocol", { timeout: TIMEOUT_MS }, async () => {
    await using server = await ClientServer.start();
    const recording = new Recording(server);
    for (const app of ["desk", "team", "steps"])
      await recording.record("Session", `/apps/${app}/users/py/sessions/all`, {
        method: "POST",
        body: { state: { a: 1 } },
      });
    const events = [{ author: "user", content: { role: "user", parts: [{ text: "before", color: "red" }] } }];
    await recording.record("Session", "/apps/desk/users/py/sessions", { method: "POST", body: { events } });
    await recordRuns(recording);
    await recordAnswers(recording);
    await recording.record("Session", "/apps/desk/users/py/sessions/all", {
      method: "PATCH",
      body: { state_delta: { b: null } },
    });
    for (const app of ["team", "steps"]) {
      await recording.run(app, userText("go"), true);
      await recording.record("Session", `/apps/${app}/users/py/sessions/all`);
    }
    await recordRoutes(recording);
    const { answers } = recording;
    const { count, refused } = await readWithPython(
      answers.map((answer) => ({ ...answer, value: inKnownLanguage(answer.value) })),
    );
    expect(refused).toEqual([]);
    expect(count).toBe(answers.length);
    // The answers include what the models have to be tested with.
    const json = JSON.stringify(answers);
    const marks = [
      "compactedContent",
      "deletedArtifactIds",
      "resumption",
      "cache_name",
      "thoughtSignature",
      "agentState",
    ];
    expect(marks.filter((mark) => !json.includes(`"${mark}"`))).toEqual([]);
  });

  it("read the events of a session that was rewound", { timeout: TIMEOUT_MS }, async () => {
    const save = new FunctionTool({
      name: "save",
      description: "Saves.",
      execute: async (_args, context) => ({ version: await context.saveArtifact("a.txt", { text: "a" }) }),
    });
    const model = new ScriptedModel([functionCallResponse("save"), "saved"]);
    const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [save] }));
    const [first] = await world.run("save");
    await world.runner.rewind({
      userId: "ada",
      sessionId: "talk",
      rewindBeforeInvocationId: first?.invocationId ?? "",
    });
    const events = (await world.session()).events.map((event, index) => ({
      label: `event ${index}`,
      as: "Event",
      value: JSON.parse(toEventJson(event)) as unknown,
    }));
    expect(JSON.stringify(events.at(-1))).toContain('"deletedArtifactIds":["a.txt"]');
    expect(await readWithPython(events)).toEqual({ count: events.length, refused: [] });
  });
});
