import { openDataDir } from "#adapters/sqlite/data-dir.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";

/** Arguments of the functions that open stores. */
export interface StoreContext<Config> {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  /** Closes the opened resources. */
  readonly stack: AsyncDisposableStack;
  /** The data folder, locked for this process by the first store in it. */
  readonly dataFolder: () => string;
}

export interface OpenedStore<Store> {
  readonly store: Store;
  /** Makes a cheap call, which fails while the store is unreachable. Absent for stores inside the process. */
  readonly probe?: () => Promise<unknown>;
  /** Writes a few bytes to the disk of the store. Absent for stores without a disk of this process. */
  readonly probeSpace?: () => Promise<void>;
}

/** Opens one kind of store; no adapter is loaded unused. */
export type StoreOpener<Store, Config> = (context: StoreContext<Config>) => Promise<OpenedStore<Store>>;

export const DATA_DIR_OPTIONS = { otherFolder: "with --data-dir (DATA_DIR)" };

export function createStoreContext<Config extends { readonly DATA_DIR: string }>(
  parts: Omit<StoreContext<Config>, "dataFolder">,
): StoreContext<Config> {
  let folder: string | undefined;
  const dataFolder = (): string => {
    folder ??= parts.stack.use(openDataDir(parts.config.DATA_DIR, DATA_DIR_OPTIONS)).path;
    return folder;
  };
  return { ...parts, dataFolder };
}

/** The names in a table of openers, as the choices of a setting. */
export function choicesIn<Table extends object>(table: Table): (keyof Table & string)[] {
  // A table of openers is an object literal: its keys are those that its type names.
  return Object.keys(table) as (keyof Table & string)[];
}
