import { Worker } from "node:worker_threads";

/** The wait is divided, because a stopped or suspended process continues with one wait that is over. */
const WAITS = 4;

/**
 * The thread's program is a text and not a module, so that it loads no module hooks of its parent. It writes by itself:
 * the streams of the main thread are not served while that thread stands.
 */
const PROGRAM = `
  const { writeSync } = require("node:fs");
  const { workerData } = require("node:worker_threads");
  const { beats, stallMs, fields } = workerData;
  const waits = ${WAITS};
  let missed = 0;
  while (missed < waits) {
    const seen = Atomics.load(beats, 0);
    missed = Atomics.wait(beats, 0, seen, stallMs / waits) === "timed-out" ? missed + 1 : 0;
  }
  const time = new Date().toISOString();
  const message = "the event loop has stood for LOOP_STALL_MS: the process ends, and other runners recover its runs";
  try {
    writeSync(1, JSON.stringify({ level: "error", time, ...fields, stallMs, message }) + "\\n");
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
`;

/**
 * Ends the process when its event loop has stood for so long: it then answers nobody and renews no lease, and only its
 * end lets other runners take over its runs. Begin it when the process is ready: loading its modules may take seconds.
 * Does nothing for 0. The thread and its timer keep no process running.
 */
export function watchLoop(stallMs: number, fields: { readonly service?: string } = {}): Disposable {
  if (stallMs === 0) return { [Symbol.dispose]: () => {} };
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(
    () => {
      Atomics.add(beats, 0, 1);
      Atomics.notify(beats, 0);
    },
    stallMs / WAITS / 2,
  ).unref();
  const thread = new Worker(PROGRAM, {
    eval: true,
    workerData: { beats, stallMs, fields },
    execArgv: ["--no-warnings"],
    // It keeps next to nothing: the defaults reserve as much as for the main thread.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      void thread.terminate();
    },
  };
}
