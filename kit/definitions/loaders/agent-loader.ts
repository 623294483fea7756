import type { App } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";

/** An app as loaded. Each run holds this object, so a reload never changes an active run. */
export interface LoadedApp {
  readonly name: string;
  readonly app: App;
  readonly language: "typescript" | "yaml";
  /** Markdown that is shown with the app. */
  readonly readme?: string;
  /** Starts at 1 and increases with each reload. */
  readonly version: number;
  /**
   * Names the sources that the app was made from: equal in all processes that have the same ones. Absent if they are not
   * known, as of agents that a program has created.
   */
  readonly agentRevision?: string;
}

/** One of the versions of an app that are served side by side. */
export interface RevisionShare {
  readonly agentRevision: string;
  /** Its share of the new sessions is this over the sum of the weights of all. */
  readonly weight: number;
  /** Its sessions move to another version with their next turn; otherwise they stay. */
  readonly isRetired: boolean;
}

/**
 * The source of agents. Both reads are answered from memory once an app is loaded, so callers may call them before each
 * run.
 */
export interface AgentLoader {
  /** Names of the apps, sorted, including those whose files are broken. */
  listAgents(): Promise<readonly string[]>;
  /** The newest valid version. Throws `APP_NOT_FOUND`, or `CONFIGURATION` if the app is broken and was never valid. */
  loadAgent(name: string): Promise<LoadedApp>;
  /**
   * The app as it was at an agent revision, if it is still loaded beside the newest; runs that began on it end on it.
   * Absent for loaders that keep the newest alone.
   */
  findRevision?(name: string, agentRevision: string): Promise<LoadedApp | undefined>;
  /**
   * The versions that the app's sessions are spread over; `findRevision` finds each of them. The same list until it
   * changes. Undefined for an app whose sessions use the newest alone. Answered from memory.
   */
  sharesOf?(name: string): readonly RevisionShare[] | undefined;
  /** Whether `loadAgent` or `findRevision` may return the app again. Runners close an app without runs that is not kept. */
  keeps?(app: App): boolean;
  /** Checks for changes now; resolves when the changed apps are loaded. */
  refresh?(): Promise<void>;
  /** Stops watching for changes. Agents are closed by the runners that run them. */
  close(): Promise<void>;
}

const MAX_NAMES = 20;

/** `apps` are those that the message names; of many, the first. */
export function appNotFound(name: string, apps: readonly string[] = []): PlatformError {
  const more = apps.length > MAX_NAMES ? `, and ${apps.length - MAX_NAMES} more` : "";
  const names = apps.length === 0 ? "" : ` Apps: ${apps.slice(0, MAX_NAMES).join(", ")}${more}.`;
  const hint = suggestion(name, apps) || (names === "" ? "" : ".");
  return new PlatformError("APP_NOT_FOUND", `App not found: ${name}${hint}${names}`, { details: { appName: name } });
}
