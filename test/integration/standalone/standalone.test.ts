import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Version } from "#kit/version.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import packageJson from "../../../package.json" with { type: "json" };

const AGENTS = fileURLToPath(new URL("../../../tooling/agents", import.meta.url));
const SESSION = "/apps/echo/users/ada/sessions/talk";

function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "standalone-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

function serve(dataDir: string, ...flags: string[]): CliProcess {
  return new CliProcess(["serve", AGENTS, "--port", "0", "--data-dir", dataDir, ...flags]);
}

async function urlOf(server: CliProcess): Promise<string> {
  return (await server.until(/is ready: (\S+)\/dev-ui/))[1] ?? "";
}

function say(url: string, text: string, path = "/run"): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      appName: "echo",
      userId: "ada",
      sessionId: "talk",
      newMessage: { role: "user", parts: [{ text }] },
      streaming: path === "/run_sse",
    }),
  });
}

interface WireEvent {
  readonly author: string;
  readonly content?: { readonly parts: readonly { readonly text: string }[] };
  readonly errorCode?: string;
}

/** A short form of the session's events. */
async function conversation(url: string): Promise<string[]> {
  // The form of the gateway's answer.
  const session = (await (await fetch(url + SESSION)).json()) as { events: WireEvent[] };
  return session.events.map(({ author, content, errorCode }) => `${author}: ${content?.parts[0]?.text ?? errorCode}`);
}

describe("fairlead serve", () => {
  it("is what npm start runs for the sample agents, with the whole surface of the gateway", async () => {
    verifies(
      "what-the-service-does:hosts-apps",
      "endpoints-http:list-apps:route",
      "what-the-service-does:build-goal-serve",
      "platform:one-process",
    );
    using data = temporaryFolder();
    const [, script = "", words = ""] = /^node --env-file=\S+ (\S+) (serve .*)$/.exec(packageJson.scripts.start) ?? [];
    const args = [...words.split(" "), "--port", "0", "--data-dir", data.path];
    await using server = new CliProcess(args, { script, directory: REPOSITORY_ROOT });
    const url = await urlOf(server);
    expect(await (await fetch(`${url}/list-apps`)).json()).toEqual(
      readdirSync(join(REPOSITORY_ROOT, "agents")).filter((name) => !name.includes(".")),
    );
    await using world = await startGateway({ config: { DEV_UI: true }, live: async () => {} });
    // The form of the descriptions of paths in both answers.
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { readonly paths: object };
    const ofGateway = (await world.gateway.inject("/openapi.json")).json<{ readonly paths: object }>().paths;
    expect(Object.keys(paths)).toEqual(Object.keys(ofGateway));
  });

  it("keeps sessions over a restart", async () => {
    verifies("platform:one-process");
    verifies("what-the-service-does:build-goal-serve");
    using data = temporaryFolder();
    await using first = serve(data.path);
    const url = await urlOf(first);
    await fetch(url + SESSION, { method: "POST" });
    expect((await say(url, "hello")).status).toBe(200);
    expect(await first.end("SIGTERM")).toBe(0);

    await using second = serve(data.path);
    const again = await urlOf(second);
    expect((await say(again, "still there?")).status).toBe(200);
    expect(await conversation(again)).toEqual([
      "user: hello",
      "echo: You said: hello (1)",
      "user: still there?",
      "echo: You said: still there? (3)",
    ]);
  });

  it("continues an answer after kill -9 in its middle, and the next message works", async () => {
    using data = temporaryFolder();
    await using first = serve(data.path);
    const url = await urlOf(first);
    await fetch(url + SESSION, { method: "POST" });
    await say(url, "hello");
    const answer = await say(url, "hang", "/run_sse");
    const runId = answer.headers.get("x-run-id");
    // The first chunk has arrived: the answer is active.
    await answer.body?.getReader().read();
    await first.end("SIGKILL");

    await using second = serve(data.path);
    const again = await urlOf(second);
    const stream = await fetch(`${again}/v1/runs/${runId}/stream`);
    let shown = "";
    for await (const chunk of stream.body ?? []) {
      shown += new TextDecoder().decode(chunk);
      if (shown.includes('{"attempt":2}')) break;
    }
    expect(shown).toContain('{"attempt":2}');
    const cancelled = await fetch(`${again}/v1/runs/${runId}/cancel?wait=true`, { method: "POST" });
    expect(await cancelled.json()).toMatchObject({ status: "cancelled", attempts: 2 });
    expect((await say(again, "and now?")).status).toBe(200);
    expect(await conversation(again)).toEqual([
      "user: hello",
      "echo: You said: hello (1)",
      "user: hang",
      "echo: RUN_CANCELLED",
      "user: and now?",
      "echo: You said: and now? (4)",
    ]);
  });

  it("ends an answer that kill -9 cut off if that is configured, and the next message works", async () => {
    using data = temporaryFolder();
    await using first = serve(data.path);
    const url = await urlOf(first);
    await fetch(url + SESSION, { method: "POST" });
    await say(url, "hello");
    const answer = await say(url, "hang", "/run_sse");
    const runId = answer.headers.get("x-run-id");
    await answer.body?.getReader().read();
    await first.end("SIGKILL");

    await using second = serve(data.path, "--on-abandoned-run", "interrupt");
    const again = await urlOf(second);
    expect(await (await fetch(`${again}/v1/runs/${runId}`)).json()).toMatchObject({ status: "interrupted" });
    expect((await say(again, "and now?")).status).toBe(200);
    expect(await conversation(again)).toEqual([
      "user: hello",
      "echo: You said: hello (1)",
      "user: hang",
      "echo: RUN_INTERRUPTED",
      "user: and now?",
      "echo: You said: and now? (4)",
    ]);
  });

  it("ends active answers in good order when it is asked to end", async () => {
    using data = temporaryFolder();
    await using server = serve(data.path, "--shutdown-drain-ms", "50");
    const url = await urlOf(server);
    await fetch(url + SESSION, { method: "POST" });
    const answer = await say(url, "hang", "/run_sse");
    const exitCode = server.end("SIGTERM");
    expect(await answer.text()).toContain('"errorCode":"RUN_INTERRUPTED"');
    expect(await exitCode).toBe(0);
  });

  it("refuses a data folder that another server uses", async () => {
    using data = temporaryFolder();
    await using first = serve(data.path);
    await urlOf(first);
    await using second = serve(data.path);
    await second.ended;
    expect([second.child.exitCode, second.output]).toEqual([
      1,
      `fairlead: Another server uses the data folder "${data.path}". Stop it, or choose another folder with --data-dir (DATA_DIR).\n`,
    ]);
  });

  it("refuses a data folder that it cannot write", async () => {
    using data = temporaryFolder();
    const file = join(data.path, "file");
    writeFileSync(file, "");
    await using server = serve(file);
    await server.ended;
    expect([server.child.exitCode, server.output]).toEqual([
      1,
      `fairlead: The data folder "${file}" cannot be written. Check that it is a folder and its permissions, or choose another with --data-dir (DATA_DIR).\n`,
    ]);
  });

  it("says in one line that its port is in use", async () => {
    using data = temporaryFolder();
    await using first = serve(join(data.path, "a"));
    const { port } = new URL(await urlOf(first));
    await using second = new CliProcess(["serve", AGENTS, "--port", port, "--data-dir", join(data.path, "b")]);
    await second.ended;
    expect([second.child.exitCode, second.output]).toEqual([
      1,
      `fairlead: Port ${port} on 127.0.0.1 is in use. Stop the other server, or choose another port with --port (PORT).\n`,
    ]);
  });

  it("needs no data folder when everything is kept in memory", async () => {
    const stores = ["--session-store", "--artifact-store", "--memory-store", "--eval-store", "--credential-store"];
    await using server = serve("/dev/null/nowhere", ...stores.flatMap((flag) => [flag, "memory"]));
    const url = await urlOf(server);
    expect(await (await fetch(`${url}/list-apps`)).json()).toEqual(["echo"]);
  });
});

describe("the entry points", () => {
  it("serve with settings from the environment alone, logging JSON", async () => {
    const memory = {
      SESSION_STORE: "memory",
      ARTIFACT_STORE: "memory",
      MEMORY_STORE: "memory",
      EVAL_STORE: "memory",
      CREDENTIAL_STORE: "memory",
    };
    const environment = { AGENTS_DIR: AGENTS, PORT: "0", ...memory };
    await using server = new CliProcess([], { script: "services/standalone/main.ts", environment });
    const [line] = await server.until(/^\{.*"message":"ready"\}\n/);
    expect(JSON.parse(line)).toMatchObject({
      level: "info",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect(await server.end("SIGINT")).toBe(0);
  });

  it("say what is wrong with the environment and exit with 1", async () => {
    await using server = new CliProcess([], { script: "services/standalone/main.ts", environment: { PORT: "x" } });
    await server.ended;
    expect([server.child.exitCode, server.output]).toEqual([
      1,
      'PORT must be a whole number from 0 to 65535, not "x".\n',
    ]);
  });

  it("include a launcher for any Node", async () => {
    await using launcher = new CliProcess(["--version"], { script: "cli/fairlead.mjs" });
    await launcher.ended;
    expect(launcher.output).toBe(`${Version.FAIRLEAD_VERSION}\n`);
  });
});

describe("fairlead", () => {
  async function outcome(args: readonly string[], environment: Record<string, string> = {}, input = "") {
    await using command = new CliProcess(args, { environment });
    command.child.stdin?.end(input);
    await command.ended;
    return { exitCode: command.child.exitCode, output: command.output };
  }

  it("lists every setting with help settings", async () => {
    verifies("what-the-service-does:build-goal-help");
    const { exitCode, output } = await outcome(["help", "settings"]);
    const listed = [...output.matchAll(/^ {2}([A-Z][A-Z0-9_]+) /gm)].map(([, name]) => name);
    expect([exitCode, listed]).toEqual([0, Object.keys(standaloneConfigSchema.properties)]);
  });

  it("has help on its topics, and says which there are", async () => {
    verifies("what-the-service-does:build-goal-help");
    expect(await outcome(["help", "run"])).toMatchObject({ exitCode: 0, output: /^fairlead run <dir> \[app\]/ });
    expect(await outcome(["help", "sreve"])).toEqual({
      exitCode: 2,
      output: 'fairlead: There is no help on "sreve": did you mean "serve"?\n',
    });
  });

  it("prints its version", async () => {
    expect(await outcome(["--version"])).toEqual({ exitCode: 0, output: `${Version.FAIRLEAD_VERSION}\n` });
  });

  it("reports all wrong settings together", async () => {
    expect(await outcome(["serve", "--port", "80.5"], { SESSION_STORE: "redis", DEV_UI: "maybe" })).toEqual({
      exitCode: 1,
      output: [
        'fairlead: PORT must be a whole number from 0 to 65535, not "80.5".',
        'fairlead: DEV_UI must be true, false, 1 or 0, not "maybe".',
        'fairlead: SESSION_STORE must be sqlite, memory, firestore or postgres, not "redis".',
        "",
      ].join("\n"),
    });
  });

  it("refuses flags and commands that it does not know, and a folder that is not there", async () => {
    expect(
      await Promise.all([outcome(["serve", "--prot", "1"]), outcome(["sevre"]), outcome(["serve", "nowhere"])]),
    ).toEqual([
      { exitCode: 2, output: 'fairlead: There is no flag --prot: did you mean "--port"?\n' },
      { exitCode: 2, output: 'fairlead: There is no command "sevre": did you mean "serve"?\n' },
      {
        exitCode: 1,
        output: 'fairlead: There is no folder "nowhere". Name the folder of your agents with --agents (AGENTS_DIR).\n',
      },
    ]);
  });

  it("talks to an agent line by line", async () => {
    expect(await outcome(["run", AGENTS, "echo"], {}, "hello\nagain\n")).toEqual({
      exitCode: 0,
      output: "echo: You said: hello (1)\necho: You said: again (3)\n",
    });
  });
});
