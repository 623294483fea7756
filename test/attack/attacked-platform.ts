import { join } from "node:path";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { PLATFORM_SERVICES, PlatformWorld } from "#tooling/processes/platform-world.ts";
import { residentBytesOf } from "./memory-watch.ts";

/** The six services as processes with the memory of small containers, and the sample agents. */
export class AttackedPlatform implements AsyncDisposable {
  readonly url: URL;
  readonly #world: PlatformWorld;

  private constructor(world: PlatformWorld) {
    this.#world = world;
    this.url = new URL(world.url);
  }

  static async start(stores: Readonly<Record<string, string>> = {}): Promise<AttackedPlatform> {
    await using stack = new AsyncDisposableStack();
    const settings = {
      ...stores,
      AGENTS_DIR: join(REPOSITORY_ROOT, "agents"),
      LOG_FORMAT: "json",
      LOG_LEVEL: "warn",
      // The memory limit of a container of 512 MiB, approximately.
      NODE_OPTIONS: "--max-old-space-size=400",
    };
    const world = stack.use(await PlatformWorld.create({ settings }));
    world.startAll();
    await world.untilReady();
    stack.move();
    return new AttackedPlatform(world);
  }

  /** Which services have ended, and how; undefined while all run. */
  get end(): string | undefined {
    const ended = PLATFORM_SERVICES.map((name) => ({ name, service: this.#world.process(name) })).filter(
      ({ service: { child } }) => child.exitCode !== null || child.signalCode !== null,
    );
    if (ended.length === 0) return undefined;
    return ended.map(({ name, service }) => `${name} has ended:\n${service.output.slice(-20_000)}`).join("\n");
  }

  /** Bytes of memory that each service has. */
  get residentBytes(): readonly number[] {
    if (this.end !== undefined) throw new Error(this.end);
    return PLATFORM_SERVICES.map((name) => residentBytesOf(this.#world.process(name).child.pid ?? 0));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#world[Symbol.asyncDispose]();
  }
}
