import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import WebSocket from "ws";
import type { BenchOptions } from "../bench-options.ts";
import { inDataDir } from "../bench-servers.ts";
import { Client, inParallel, median, percentile } from "../client.ts";
import { PlatformProcesses } from "../platform/platform-processes.ts";
import { costOf } from "../scenarios/cost-of.ts";
import type { MeasuredServer } from "../scenarios/scenario.ts";
import { adkPython } from "../servers/adk-python.ts";
import type { Contender } from "../servers/contender.ts";
import { ownServer } from "../servers/own-server.ts";
import { ServerProcess } from "../servers/server-process.ts";

const CALLS = 100;
const FRAME_MS = 20;
const WARM_UP_FRAMES = 150;
const FRAMES = 300;
const IDLE_CALLS = 500;
const MAX_CLOSE_MS = 5_000;
/** 20 ms of 16-bit PCM at 16 kHz. */
const FRAME = JSON.stringify({ blob: { mimeType: "audio/pcm;rate=16000", data: randomBytes(640).toString("base64") } });

const ONE = "one process";
const SIX = "six processes";
const SETTINGS = { MAX_STREAMS_PER_USER: "0", MAX_CONCURRENT_RUNS: "2000", MAX_PROCESS_RUNS_PER_USER: "0" };

/**
 * Calls whose model sends each frame of audio back at once: the time until a frame is back, the CPU of a frame both ways, and
 * the memory of silent calls.
 */
export async function benchLive({ rounds, only = "" }: BenchOptions, withPeer: boolean): Promise<void> {
  const peer = withPeer ? adkPython() : undefined;
  for (let round = 0; round < rounds; round += 1) {
    if (ONE.includes(only)) await benchOneProcess();
    if (peer?.name.includes(only) === true) await benchPeer(peer);
    if (SIX.includes(only)) await benchSixProcesses();
  }
}

async function benchOneProcess(): Promise<void> {
  await inDataDir(async (dataDir) => {
    await using server = await ServerProcess.start(ownServer(dataDir, SETTINGS));
    await measure(ONE, server);
  });
}

async function benchPeer({ name, command }: Contender): Promise<void> {
  await using server = await ServerProcess.start(command);
  await measure(name, server);
}

async function benchSixProcesses(): Promise<void> {
  await using platform = await PlatformProcesses.start("sqlite", SETTINGS);
  const before = platform.cpuOfServices();
  await measure(SIX, platform);
  const shares = Object.entries(platform.cpuOfServices()).map(
    ([service, micros]) =>
      `${service} ${((micros - (before[service] ?? 0)) / (CALLS * (WARM_UP_FRAMES + FRAMES))).toFixed(1)}`,
  );
  print(`${SIX}: µs of each service for a frame, starts and ends of calls included: ${shares.join(", ")}`);
  const { gateway = Number.NaN } = platform.residentOfServices();
  const idle = await openCalls(platform, IDLE_CALLS, "idle");
  const grown = (platform.residentOfServices()["gateway"] ?? Number.NaN) - gateway;
  print(`${SIX}: ${((grown * 1024) / IDLE_CALLS).toFixed(1)} KB of the gateway for each of ${IDLE_CALLS} idle calls`);
  for (const socket of idle) socket.terminate();
}

async function measure(name: string, server: MeasuredServer): Promise<void> {
  const sockets = await openCalls(server, CALLS, "busy");
  const delays: number[] = [];
  for (const socket of sockets) watch(socket, delays);
  await sendFrames(sockets, WARM_UP_FRAMES);
  delays.length = 0;
  const { cpuMicros, clientCore } = await costOf(server, () => sendFrames(sockets, FRAMES));
  print(
    `${name}: frame back after ${median(delays).toFixed(2)} ms, p99 ${percentile(delays, 0.99).toFixed(2)} ms; ` +
      `${(cpuMicros / (CALLS * FRAMES)).toFixed(1)} µs CPU a frame; ${delays.length} of ${CALLS * FRAMES} frames; client core ${clientCore.toFixed(0)} %`,
  );
  for (const socket of sockets) socket.send('{"close":true}');
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  // adk-python leaves some calls open.
  await Promise.race([Promise.all(closed), pause(MAX_CLOSE_MS)]);
  for (const socket of sockets) socket.terminate();
}

async function openCalls(server: MeasuredServer, count: number, prefix: string): Promise<readonly WebSocket[]> {
  using client = new Client(server.url, 20);
  await inParallel(count, 20, (index) => client.createSession(`${prefix}-${index}`));
  const sockets: WebSocket[] = [];
  await inParallel(count, 20, async (index) => {
    const query = `app_name=bench&user_id=u&session_id=${prefix}-${index}`;
    const socket = new WebSocket(`${server.url.replace(/^http/, "ws")}/run_live?${query}`);
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    // The run has begun when a turn is answered.
    socket.send('{"content":{"role":"user","parts":[{"text":"begin"}]}}');
    await new Promise<void>((resolve, reject) => {
      socket.on("message", (data: Buffer) => data.includes('"turnComplete":true') && resolve());
      socket.once("close", (code, reason) => reject(new Error(`closed with ${code} ${reason.toString()}`)));
    });
    socket.removeAllListeners("close");
    sockets.push(socket);
  });
  return sockets;
}

/** Frames come back in their order. */
const SENT = new WeakMap<WebSocket, number[]>();

function watch(socket: WebSocket, delays: number[]): void {
  const sent: number[] = [];
  SENT.set(socket, sent);
  socket.on("message", (data: Buffer) => {
    const at = data.includes('"inlineData"') ? sent.shift() : undefined;
    if (at !== undefined) delays.push(performance.now() - at);
  });
}

/** Each call sends a frame every 20 ms; the calls are spread over that time. */
async function sendFrames(sockets: readonly WebSocket[], frames: number): Promise<void> {
  const startedAt = performance.now();
  await Promise.all(
    sockets.map(async (socket, index) => {
      const first = startedAt + (index * FRAME_MS) / sockets.length;
      for (let frame = 0; frame < frames; frame += 1) {
        const wait = first + frame * FRAME_MS - performance.now();
        if (wait > 0) await pause(wait);
        SENT.get(socket)?.push(performance.now());
        socket.send(FRAME);
      }
    }),
  );
  while (sockets.some((socket) => (SENT.get(socket)?.length ?? 0) > 0)) await pause(FRAME_MS);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
