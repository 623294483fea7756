import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient, textOf } from "fairlead/client";
import { LlmAgent } from "fairlead/kit";
import { ScriptedModel, streamedText } from "fairlead/kit/testing";
import { createServer } from "fairlead/server";
import { openSqliteStores } from "fairlead/stores";

const [, script = "", folder, port = "0", isFirst] = process.argv;
if (folder === undefined) await readAcrossKill();
else await serve();

/** A server whose first process never gets further than the beginning of its answer. */
async function serve(): Promise<void> {
  const [beginning, ...rest] = streamedText("The answer ", "goes on.");
  const forever = new Promise(() => setInterval(() => {}, 1000));
  const steps = isFirst === "first" ? [[beginning ?? forever, forever]] : [[beginning ?? forever, ...rest]];
  const writer = new LlmAgent({ name: "writer", model: new ScriptedModel(steps), instruction: "Write." });
  const stores = await openSqliteStores({ folder: folder ?? "data" });
  const server = await createServer({ agents: [writer], stores, sharedStores: false });
  console.log(await server.listen({ port: Number(port) }));
}

async function readAcrossKill(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "recipe-"));
  const start = async (at: string, ...more: readonly string[]) => {
    const child = spawn(process.execPath, [script, data, at, ...more], { stdio: ["ignore", "pipe", "inherit"] });
    const [url] = await once(createInterface({ input: child.stdout }), "line");
    return { child, url: String(url) };
  };
  const first = await start("0", "first");
  const client = createClient({ baseUrl: first.url });
  const session = await client.sessions.create({ appName: "writer", userId: "me" });
  const stream = await client.stream({ session, newMessage: "Write" });
  let second: typeof first | undefined;
  for await (const event of stream) {
    if (second === undefined || event.partial !== true)
      console.log(`${event.partial === true ? "chunk" : "whole"}: ${textOf(event)}`);
    if (second !== undefined) continue;
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    console.log("killed");
    second = await start(new URL(first.url).port);
  }
  console.log(stream.status);
  second?.child.kill("SIGKILL");
}
