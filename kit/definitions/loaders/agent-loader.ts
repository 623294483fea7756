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
