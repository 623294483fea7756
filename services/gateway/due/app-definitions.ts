import { isDeepStrictEqual } from "node:util";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { AppInfo } from "#ports/runs/runner-service.ts";
import { outsideCallScope } from "#shared/security/call-scope.ts";
import type { GatewayDeps } from "../deps.ts";

interface Named {
  readonly name: string;
}

/** Something that apps define, such as schedules, and its store. */
export interface AppDefinitionsOptions<Definition extends Named> {
  /** The text of the log about definitions that cannot be used. */
  readonly problem: string;
  readonly definedIn: (app: AppInfo) => readonly Definition[];
  /** The id of a definition in the store, made of its app and name. */
  readonly idOf: (appName: string, definition: Definition) => string;
  /** Stores the definition, unless it is stored. */
  readonly keep: (appName: string, definition: Definition) => Promise<void>;
  /** All that apps have defined and the store has. */
  readonly stored: () => AsyncIterable<{ readonly id: string; readonly appName: string }>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly everyMs?: number | undefined;
}

type Deps = Pick<GatewayDeps, "runnerService" | "logger">;

/** Definitions are read again so often, because a new version of an app needs no restart of the gateway. */
const EVERY_MS = 60_000;
/**
 * What is deleted with its definition loses its state, such as a pause. While runners are replaced, some have the
 * definition and others do not.
 */
const PASSES_UNTIL_GONE = 5;
/** The pause while no runner answers. */
const RETRY_MS = 5_000;

/**
 * Keeps what apps define in a store. All gateways do the same. What the definition changes is changed, and what it has not had
 * for some minutes is deleted.
 */
export class AppDefinitions<Definition extends Named> {
  readonly #deps: Deps;
  readonly #options: AppDefinitionsOptions<Definition>;
  /** Problems that the log has, by app. */
  readonly #reported = new Map<string, string>();
  /** For how many passes no definition has had something stored of an app, by its id. */
  readonly #absent = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: Deps, options: AppDefinitionsOptions<Definition>) {
    this.#deps = deps;
    this.#options = options;
  }

  start(): void {
    this.#passIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#pass;
  }

  #passIn(delayMs: number): void {
    if (this.#isStopped) return;
    const { everyMs = EVERY_MS } = this.#options;
    this.#timer = setTimeout(() => {
      this.#pass = outsideCallScope(() => this.synchronise()).then(
        () => this.#passIn(everyMs),
        (error: unknown) => {
          this.#report("", toPlatformError(error).message);
          this.#passIn(Math.min(RETRY_MS, everyMs));
        },
      );
    }, delayMs).unref();
  }

  /** Throws if the apps or the store cannot be read. */
  async synchronise(): Promise<void> {
    const { runnerService } = this.#deps;
    const { definedIn, idOf, keep, stored } = this.#options;
    const defined = new Set<string>();
    const broken = new Set<string>();
    for (const appName of await runnerService.listApps()) {
      try {
        const definitions = definedIn(await runnerService.describeApp(appName));
        for (const definition of definitions) defined.add(idOf(appName, definition));
        const problems: string[] = [];
        // One that cannot be used stays as it is stored.
        for (const definition of definitions)
          await keep(appName, definition).catch((error: unknown) => {
            problems.push(`${definition.name}: ${toPlatformError(error).message}`);
          });
        if (problems.length > 0) this.#report(appName, problems.join(" "));
        else this.#reported.delete(appName);
      } catch (error) {
        // What it has stays as it is.
        broken.add(appName);
        this.#report(appName, toPlatformError(error).message);
      }
    }
    for await (const { id, appName } of stored())
      if (!broken.has(appName)) await this.#deleteIfGone(id, defined.has(id));
  }

  async #deleteIfGone(id: string, isDefined: boolean): Promise<void> {
    const passes = isDefined ? 0 : (this.#absent.get(id) ?? 0) + 1;
    if (passes > 0 && passes < PASSES_UNTIL_GONE) {
      this.#absent.set(id, passes);
      return;
    }
    this.#absent.delete(id);
    if (passes > 0) await this.#options.remove(id);
  }

  /** Each problem is reported once, until it is another one. */
  #report(appName: string, problem: string): void {
    if (this.#reported.get(appName) === problem) return;
    this.#reported.set(appName, problem);
    this.#deps.logger.warn({ appName, problem }, this.#options.problem);
  }
}

/** Whether two values have the same members. Members without a value are not stored. */
export function hasSameMembers(one: object, other: object): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}
