import type { PublishedEntry, RunStreamEntry } from "#ports/runs/run-stream.ts";
import type { LiveEmission, LiveEmission__Output } from "#proto/fairlead/runner/v1/LiveEmission.ts";
import { fromJsonBytes, required, toJsonBytes } from "./messages.ts";

/** Converts entries of a run's stream that a live run sends to its caller. */

export function toEmissionMessage(entry: RunStreamEntry): LiveEmission {
  if (entry.kind === "resync") return { otherJson: toJsonBytes(entry) };
  if (entry.kind !== "event") return { epoch: entry.epoch, n: entry.n, otherJson: toJsonBytes(entry) };
  const { epoch, n, eventId, json, partial, sequence } = entry;
  return {
    epoch,
    n,
    event: sequence === undefined ? { eventId, json, partial } : { eventId, json, partial, sequence },
  };
}

export function fromEmissionMessage({ epoch, n, event, otherJson }: LiveEmission__Output): RunStreamEntry {
  // Only the function above writes it.
  if (!event) return fromJsonBytes<never>(required(otherJson), "The entry") as PublishedEntry;
  const { eventId, json, partial, sequence } = event;
  const entry = { kind: "event", epoch, n, eventId, json, partial } as const;
  return sequence == null ? entry : { ...entry, sequence };
}
