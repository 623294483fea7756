import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { runStandalone } from "#services/standalone/run-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";

/** Messages of the server's process to its parent. */
export type ServerMessage =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "stall"; readonly cpuMs: number; readonly wallMs: number };

const BEAT_MS = 5;
const STALL_MS = 100;

/**
 * The server in one process, which reports each turn of its event loop that computes for more than 100 ms. The clock is
 * the processor time of the main thread, which does not advance while other processes use the machine, so that their
 * load does not count as a stall of the server.
 */
const { url } = await runStandalone(loadConfig(standaloneConfigSchema, process.env));
let lastCpu = process.threadCpuUsage();
let lastWall = performance.now();
setInterval(() => {
  const spent = process.threadCpuUsage(lastCpu);
  const wallMs = performance.now() - lastWall;
  const cpuMs = (spent.user + spent.system) / 1000;
  lastCpu = process.threadCpuUsage();
  lastWall = performance.now();
  if (cpuMs > STALL_MS) report({ kind: "stall", cpuMs, wallMs });
}, BEAT_MS);
process.once("disconnect", () => process.exit());
report({ kind: "ready", url });

function report(message: ServerMessage): void {
  process.send?.(message);
}
