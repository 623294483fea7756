import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import type { ChaosRig } from "#test/chaos/rig/rig.ts";
import type { Observation } from "./recorder.ts";

const SETTLE_MS = 15_000;
const LOOK_EVERY_MS = 200;
/** Connections between the processes open and close with the load. */
const DESCRIPTOR_ALLOWANCE = 40;
/** The heap of a young process grows with its first requests, even if they leave nothing behind. */
const MEMORY_ALLOWANCE_BYTES = 160 * 1024 * 1024;

/** Invariants of Redis, the processes and the answers while no run is active: I7 to I10. */
export async function checkRig(rig: ChaosRig, observations: readonly Observation[]): Promise<readonly string[]> {
  return [
    ...(await untilNone(() => checkRedis(rig))),
    ...(await untilNone(async () => checkFootprints(rig))),
    ...checkProcesses(rig),
    ...checkSecrets(observations),
  ];
}

/** I7: every key expires, and no subscription to a run is left. */
async function checkRedis(rig: ChaosRig): Promise<readonly string[]> {
  const redis = new Redis(rig.redis.url, { maxRetriesPerRequest: 1, lazyConnect: true });
  redis.on("error", () => {});
  try {
    await redis.connect();
    const problems: string[] = [];
    const keys = await redis.keys("*");
    for (const key of keys) if ((await redis.ttl(key)) === -1) problems.push(`I7 the key ${key} has no expiry`);
    const channels = await redis.call("PUBSUB", "CHANNELS", "*:live");
    // Names of channels.
    for (const name of channels as readonly string[]) problems.push(`I7 a subscription to ${name} is left`);
    return problems;
  } catch (error) {
    return [`Redis cannot be read: ${String(error)}`];
  } finally {
    redis.disconnect();
  }
}

/** I8, as far as a short test can check it; the soak checks the slope. */
function checkFootprints(rig: ChaosRig): readonly string[] {
  return rig.places.flatMap((place) => {
    const { baseline } = place;
    const now = place.footprint();
    if (baseline === undefined || now === undefined) return [];
    const problems: string[] = [];
    if (now.descriptors > baseline.descriptors + DESCRIPTOR_ALLOWANCE)
      problems.push(`I8 ${place.label} has ${now.descriptors} descriptors, ${baseline.descriptors} at its start`);
    if (now.residentBytes > baseline.residentBytes * 1.1 + MEMORY_ALLOWANCE_BYTES)
      problems.push(`I8 ${place.label} has ${now.residentBytes} bytes, ${baseline.residentBytes} at its start`);
    return problems;
  });
}

/** I9: no process ended unexpectedly, and none logged an uncaught error. */
function checkProcesses(rig: ChaosRig): readonly string[] {
  return rig.places.flatMap((place) => {
    const problems = place.unexpectedEnds.map((end) => `I9 ${end}`);
    const faults = /[^\n]*(unhandled promise rejection|uncaught exception)[^\n]*/.exec(place.output)?.[0];
    if (faults !== undefined) problems.push(`I9 ${place.label}: ${faults.slice(0, 500)}`);
    return problems;
  });
}

/** I10: no user ever got a text of another user. */
export function checkSecrets(observations: readonly Observation[]): readonly string[] {
  const problems: string[] = [];
  for (const { session, tag, text } of observations) {
    for (const [, user] of text.matchAll(/secret-of-([\w-]+)\./g))
      if (user !== session.userId) problems.push(`I10 the answer to ${tag} has a word of ${user}`);
  }
  return problems;
}

/** The problems that remain after a time to settle. */
export async function untilNone(
  look: () => Promise<readonly string[]>,
  limitMs = SETTLE_MS,
): Promise<readonly string[]> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const problems = await look();
    if (problems.length === 0 || performance.now() > giveUpAt) return problems;
    await pause(LOOK_EVERY_MS);
  }
}
