import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { externalizeEvent } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { allNames } from "#kit/names/name-pages.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { sessionImportsOf } from "#ports/sessions/session-imports.ts";
import {
  placeOf,
  type SessionSource,
  type SourceFile,
  type SourceItem,
  type SourceProblem,
  type SourceSession,
} from "./session-source.ts";

export interface ImportDeps {
  readonly sessions: SessionService;
  readonly artifacts: ArtifactService;
  readonly signal: AbortSignal;
  readonly onProblem: (problem: SourceProblem) => void;
  /** Files of a session in another place than its source, such as ADK's folder. `isNewUser`: the files of its user too. */
  readonly filesOf?: (session: SessionKey, isNewUser: boolean) => AsyncIterable<SourceItem>;
}

export interface ImportReport {
  readonly imported: number;
  /** Sessions that were there already, such as the ones that an interrupted import has left. */
  readonly existing: number;
  readonly events: number;
  /** Versions of files that this import has saved. */
  readonly files: number;
  /** Rows, lines, sessions and files that were not imported, or not as they were. */
  readonly problems: number;
}

/** These end the import: everything after them would fail in the same way. */
const FATAL: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "STORAGE_FULL", "NOT_IMPLEMENTED", "CONFIGURATION"]);

/**
 * Moves what the source has into the stores. Each session is one commit, and one that exists is left as it is: an import
 * that was killed is continued by the same call. What cannot be read or stored is reported, and the rest is imported.
 */
export async function importSessions(source: SessionSource, deps: ImportDeps): Promise<ImportReport> {
  return new SessionImport(deps).run(source);
}

class SessionImport {
  readonly #deps: ImportDeps;
  readonly #report = { imported: 0, existing: 0, events: 0, files: 0, problems: 0 };
  /** The user whose sessions are being read. */
  #user: string | undefined;
  /** The file whose versions are being read, and how many of them were. */
  #fileName: string | undefined;
  #versions = 0;

  constructor(deps: ImportDeps) {
    this.#deps = deps;
  }

  async run(source: SessionSource): Promise<ImportReport> {
    const { signal, filesOf } = this.#deps;
    for await (const item of source.items()) {
      signal.throwIfAborted();
      await this.#take(item);
      if (item.kind !== "session" || filesOf === undefined) continue;
      const user = JSON.stringify([item.key.appName, item.key.userId]);
      for await (const file of filesOf(item.key, user !== this.#user)) await this.#take(file);
      this.#user = user;
    }
    return this.#report;
  }

  async #take(item: SourceItem): Promise<void> {
    if (item.kind === "problem") return this.#problem(item);
    const place = item.kind === "session" ? item.key : item.session;
    try {
      if (item.kind === "session") await this.#session(item);
      else await this.#file(item);
    } catch (error) {
      if (!(error instanceof PlatformError) || FATAL.has(error.reason)) throw error;
      const name = item.kind === "session" ? "session" : `file ${JSON.stringify(item.filename)} ${item.version}`;
      this.#problem({ kind: "problem", place: `${name} ${placeOf(place)}`, reason: error.message });
    }
  }

  async #session({ kind: _, events, ...session }: SourceSession): Promise<void> {
    const { sessions, artifacts } = this.#deps;
    const { key } = session;
    if ((await sessions.getSession(key, { numRecentEvents: 0 })) !== undefined) {
      this.#report.existing += 1;
      return;
    }
    // As a history that comes over HTTP: large data is stored as files, under names that a repetition finds again.
    const stored: Event[] = [];
    for (const event of events) stored.push(await externalizeEvent(event, { artifacts, session: key }));
    if (!(await sessionImportsOf(sessions).importSession({ ...session, events: stored }))) {
      this.#report.existing += 1;
      return;
    }
    this.#report.imported += 1;
    this.#report.events += events.length;
  }

  /**
   * A version that is there already is not saved again. They are told apart by their order: a process that was killed while
   * it saved a version has used up its number.
   */
  async #file({ kind: _, version, ...file }: SourceFile): Promise<void> {
    const { artifacts } = this.#deps;
    const name = JSON.stringify([placeOf(file.session), file.filename]);
    this.#versions = name === this.#fileName ? this.#versions + 1 : 1;
    this.#fileName = name;
    const stored = allNames(async (after?: number) => (await artifacts.listVersions(file, after)).versions);
    if ((await Array.fromAsync(stored)).length >= this.#versions) return;
    const saved = await artifacts.saveArtifact(file);
    this.#report.files += 1;
    if (saved.version === version) return;
    const place = `file ${JSON.stringify(file.filename)} ${version} ${placeOf(file.session)}`;
    this.#problem({
      kind: "problem",
      place,
      reason: `It is version ${saved.version} here: the number was used before.`,
    });
  }

  #problem(problem: SourceProblem): void {
    this.#report.problems += 1;
    this.#deps.onProblem(problem);
  }
}
