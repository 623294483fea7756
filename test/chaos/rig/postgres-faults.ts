import { setTimeout as pause } from "node:timers/promises";
import type { ChaosRig } from "./rig.ts";

/** Kills the server, and starts it after the time. */
export async function killPostgres({ faults, postgres }: ChaosRig, awayMs: number): Promise<void> {
  faults.add("postgres killed");
  await postgres.kill();
  await pause(awayMs);
  await postgres.start();
}

/** Ends the server in good order, and starts it after the time. */
export async function restartPostgres({ faults, postgres }: ChaosRig, awayMs: number): Promise<void> {
  faults.add("postgres restarted");
  await postgres.stop();
  await pause(awayMs);
  await postgres.start();
}

/** Takes all connections for the time. */
export async function useUpPostgres({ faults, postgres }: ChaosRig, forMs: number): Promise<void> {
  faults.add("postgres out of connections");
  await postgres.useUpConnections();
  await pause(forMs);
  await postgres.freeConnections();
}

/** A new standby follows, and the primary is lost. The address leads to the new primary after the time. */
export async function failOverPostgres(rig: ChaosRig, movedAfterMs: number): Promise<void> {
  const standby = await rig.postgres.startStandby();
  rig.faults.add("postgres failed over");
  await rig.postgres.failOver(standby, [rig.link("to-database"), ...rig.transportLinks], movedAfterMs);
}
