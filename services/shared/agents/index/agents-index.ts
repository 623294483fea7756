import type { RevisionShare } from "#kit/definitions/loaders/agent-loader.ts";

/** A version of an app that an index lists. */
export interface IndexedRevision extends RevisionShare {
  /** The folder with the app's files, absolute. */
  readonly folder: string;
}

/** The versions of apps that are served side by side, by app, the newest first. An app that is not listed has one. */
export type AgentsIndex = ReadonlyMap<string, readonly IndexedRevision[]>;

/** The weights of one app are whole numbers up to this one. */
export const MAX_WEIGHT = 1_000;
export const MAX_APPS = 1_000;
/** Each of them is loaded in each runner. */
export const MAX_REVISIONS = 20;
/** Twelve digits of `agentRevisionOf`. */
export const AGENT_REVISION = /^[0-9a-f]{12}$/;

/** The version with the greatest weight, of equal ones the first: what is shown of the app. */
export function heaviest<Revision extends RevisionShare>(revisions: readonly Revision[]): Revision | undefined {
  return revisions.reduce<Revision | undefined>(
    (most, each) => (most === undefined || each.weight > most.weight ? each : most),
    undefined,
  );
}
