import type { App } from "#kit/core/app.ts";

/** An app as a loader gives it. What runs holds this object, so a reload never changes a run under way. */
export interface LoadedApp {
  readonly name: string;
  readonly app: App;
  readonly language: "typescript" | "yaml";
  /** Markdown shown beside the app. */
  readonly readme?: string;
  /** 1 at first, one more at each reload. */
  readonly version: number;
}

/** Where agents come from. Both reads are answered from memory once an app is loaded, so callers may ask before each run. */
export interface AgentLoader {
  /** Names of the apps, sorted; those whose files are broken too. */
  listAgents(): Promise<readonly string[]>;
  /** The newest good version. Throws `APP_NOT_FOUND`, or `CONFIGURATION` when the app is broken and never was good. */
  loadAgent(name: string): Promise<LoadedApp>;
  /** Stops looking for changes. Agents are closed by the runners that run them. */
  close(): Promise<void>;
}
