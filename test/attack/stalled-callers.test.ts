import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { createEvent } from "#kit/events/event.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { MemoryWatch, residentBytesOf } from "./memory-watch.ts";
import { StalledCall } from "./stalled-call.ts";

const MEBIBYTE = 1024 * 1024;
/** The default of MAX_ANSWER_BYTES, and what is allowed over it. */
const MOST_GROWN_MEBIBYTES = 64 + 64;
/** Time in which stalled callers fill what they can. */
const FILL_MS = 4_000;
const KEY = { tenantId: "default", appName: "app", userId: "user", id: "text" };

const { ListEvents, ListSessions } = loadProto("session").fairlead.session.v1.SessionService.service;
const { LoadArtifact } = loadProto("artifact").fairlead.artifact.v1.ArtifactService.service;

/** A service as a process with the memory of a small container. */
class Service implements AsyncDisposable {
  readonly port: number;
  readonly #process: CliProcess;

  private constructor(process: CliProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(name: string, folder: string): Promise<Service> {
    const environment = {
      DATA_DIR: join(folder, name),
      GRPC_PORT: "0",
      ADMIN_PORT: "0",
      LOG_FORMAT: "json",
      NODE_OPTIONS: "--max-old-space-size=400",
    };
    const process = new CliProcess([name], { environment });
    const [, port = ""] = await process.until(/"grpc":"127\.0\.0\.1:(\d+)"/);
    return new Service(process, Number(port));
  }

  get address(): string {
    return `ipv4:127.0.0.1:${this.port}`;
  }

  get residentBytes(): readonly number[] {
    const { exitCode, signalCode, pid } = this.#process.child;
    if (exitCode !== null || signalCode !== null) throw new Error(`It has ended:\n${this.#process.output}`);
    return [residentBytesOf(pid ?? 0)];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}

describe("callers of services that take nothing of their answers", () => {
  const folder = mkdtempSync(join(tmpdir(), "stalled-"));
  const services: Service[] = [];
  const calls: StalledCall[] = [];

  beforeAll(async () => {
    services.push(...(await Promise.all([Service.start("session", folder), Service.start("artifact", folder)])));
    const [sessions, artifacts] = services;
    const options = { clock: systemClock, timeoutMs: 60_000 };
    await using sessionService = new RemoteSessionService({ address: sessions?.address ?? "", ...options });
    await using artifactService = new RemoteArtifactService({ address: artifacts?.address ?? "", ...options });
    const text = "text ".repeat(200_000);
    for (let number = 0; number < 20; number += 1) {
      const session = number === 0 ? await sessionService.createSession(KEY) : await sessionService.getSession(KEY);
      if (session === undefined) throw new Error("The session was created.");
      const content = { role: "user", parts: [{ text: `${number} ${text}` }] };
      const event = createEvent({
        author: "user",
        invocationId: "i",
        content,
        id: `e-${number}`,
        timestamp: number + 1,
      });
      await sessionService.appendEvent(session, event);
    }
    for (let number = 0; number < 150; number += 1)
      await sessionService.createSession({ ...KEY, id: `s-${number}`, userId: "lister" });
    const stateDelta = { "user:notes": "n".repeat(250_000) };
    await sessionService.applyStateDelta({
      ...KEY,
      userId: "lister",
      id: "s-0",
      stateDelta,
      author: "user",
      invocationId: "i",
    });
    const data = Buffer.alloc(20 * MEBIBYTE, "fairlead").toString("base64");
    const artifact = { inlineData: { mimeType: "application/octet-stream", data } };
    await artifactService.saveArtifact({ session: KEY, filename: "large.bin", artifact });
  }, 120_000);

  afterEach(() => {
    for (const call of calls.splice(0)) call[Symbol.dispose]();
  });

  afterAll(async () => {
    await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["events of a session", 0, ListEvents.path, ListEvents.requestSerialize({ key: KEY })],
    ["a list of sessions", 0, ListSessions.path, ListSessions.requestSerialize({ ...KEY, userId: "lister" })],
    ["a file", 1, LoadArtifact.path, LoadArtifact.requestSerialize({ key: { session: KEY, filename: "large.bin" } })],
  ])("do not fill the service's memory: 100 of %s", { timeout: 60_000 }, async (_title, index, path, message) => {
    verifies("limits:service-answers");
    const service = services[index];
    if (service === undefined) throw new Error("The services were started.");
    using watch = new MemoryWatch(() => service.residentBytes);
    for (let number = 0; number < 100; number += 1) calls.push(new StalledCall(service.port, path, message));
    await new Promise((resolve) => setTimeout(resolve, FILL_MS));
    const grown = watch.grownMebibytes;
    process.stdout.write(`grown by ${grown} MiB for ${path}\n`);
    expect(calls.some(({ status }) => status === "answered")).toBe(true);
    expect(grown).toBeLessThan(MOST_GROWN_MEBIBYTES);
    // Their room is given back when they leave.
    for (const call of calls.splice(0)) call[Symbol.dispose]();
    const next = new StalledCall(service.port, path, message);
    calls.push(next);
    await expect.poll(() => next.status).toBe("answered");
  });
});
