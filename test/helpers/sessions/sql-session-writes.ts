import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { tenantOf } from "#kit/names/tenant.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { NetworkHead, RunChange, SessionChange } from "#ports/sessions/network/session-database.ts";
import type { SessionContent } from "#ports/sessions/session-content.ts";
import { headJson, names, runJson } from "./session-sql.ts";

/** Writes a change inside the transaction of its caller. */
export class SqlSessionWrites {
  readonly #database: DatabaseSync;
  readonly #content: SessionContent;

  constructor(database: DatabaseSync, content: SessionContent) {
    this.#database = database;
    this.#content = content;
  }

  /** Undefined, after any of its writes, if the change must not be stored. */
  write({ kind, head, events, runs, counts, ...change }: SessionChange<number>): number | undefined {
    const { key } = head;
    const version = (head.version ?? 0) + 1;
    if (!this.#writeHead(kind, head, version)) return undefined;
    for (const { count, change: added, expect } of counts) {
      const place = [tenantOf(count), count.scope, count.name];
      const known = this.#database.prepare("SELECT version FROM counts WHERE tenant = ? AND scope = ? AND name = ?");
      if (expect !== undefined && (known.get(...place)?.["version"] ?? "missing") !== expect) return undefined;
      this.#run(
        `INSERT INTO counts VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET version = version + 1,
         sessions = sessions + excluded.sessions, bytes = bytes + excluded.bytes`,
        ...place,
        added.sessions,
        added.storedBytes,
      );
    }
    if (kind === "delete") return version;
    for (const run of runs) if (!this.#writeRun(head, run)) return undefined;
    for (const { sequence, json, stateDelta, ...event } of events) {
      const sealed = this.#content.sealEvent(key, sequence, json);
      this.#run(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ...[head.incarnation, sequence, event.id, event.invocationId, event.author, event.timestamp],
        ...[event.outside === true ? 1 : 0, stateDelta === undefined ? 0 : 1, sealed],
      );
    }
    const [tenant, app, user] = names(key);
    this.#writeState([tenant, app, user, head.incarnation], change.state, (name, text) =>
      this.#content.sealState(key, text, name),
    );
    for (const scope of ["app", "user"] as const) {
      const place = [tenant, app, scope === "app" ? "" : user, ""];
      this.#writeState(place, change[scope], (name, text) => this.#content.sealShared(scope, key, name, text));
    }
    return version;
  }

  #writeHead(kind: SessionChange<number>["kind"], head: NetworkHead<number>, version: number): boolean {
    const place = names(head.key);
    if (kind === "create") {
      const row = [...place, head.incarnation, version, head.lastUpdateTime, headJson(head)];
      return this.#run("INSERT OR IGNORE INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ...row) === 1;
    }
    const own = "tenant = ? AND app = ? AND user = ? AND session = ? AND version = ? AND incarnation = ?";
    const expected = [...place, head.version ?? 0, head.incarnation];
    if (kind === "update")
      return (
        this.#run(
          `UPDATE heads SET version = ?, update_time = ?, json = ? WHERE ${own}`,
          ...[version, head.lastUpdateTime, headJson(head), ...expected],
        ) === 1
      );
    if (this.#run(`DELETE FROM heads WHERE ${own}`, ...expected) === 0) return false;
    this.#run("DELETE FROM events WHERE incarnation = ?", head.incarnation);
    this.#run("DELETE FROM states WHERE incarnation = ?", head.incarnation);
    this.#run("DELETE FROM runs WHERE incarnation = ?", head.incarnation);
    return true;
  }

  #writeRun({ key, incarnation }: NetworkHead<number>, change: RunChange): boolean {
    if (change.kind === "answer")
      return (
        this.#run(
          "UPDATE runs SET json = json_set(json, '$.answeredBy', ?) WHERE tenant = ? AND run = ?",
          ...[change.answeredBy, tenantOf(key), change.runId],
        ) === 1
      );
    if (change.kind === "delete")
      return this.#run("DELETE FROM runs WHERE tenant = ? AND run = ?", tenantOf(key), change.run.runId) === 1;
    const { run } = change;
    const { runId, finishedTime, request, error } = run;
    const seal = (member: "request" | "error", value: unknown) =>
      value === undefined ? null : this.#content.sealOfRun(key, runId, member, JSON.stringify(value));
    const isOpen = finishedTime === undefined ? 1 : 0;
    if (change.kind === "update")
      return (
        this.#run(
          "UPDATE runs SET is_open = ?, json = ?, error = ? WHERE tenant = ? AND run = ?",
          ...[isOpen, runJson(run), seal("error", error), tenantOf(key), runId],
        ) === 1
      );
    return (
      this.#run(
        "INSERT OR IGNORE INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ...[...names(key), incarnation, runId, run.idempotencyKey ?? null, isOpen],
        ...[runJson(run), seal("request", request), null],
      ) === 1
    );
  }

  #writeState(place: readonly string[], delta: JsonObject, seal: (key: string, text: string) => string): void {
    for (const [key, value] of Object.entries(delta)) {
      const own = "tenant = ? AND app = ? AND user = ? AND incarnation = ? AND key = ?";
      if (value === null) this.#run(`DELETE FROM states WHERE ${own}`, ...place, key);
      else
        this.#run(
          "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?)",
          ...place,
          key,
          seal(key, JSON.stringify(value)),
        );
    }
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}
