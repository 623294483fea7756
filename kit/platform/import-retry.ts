/** The system had no file descriptor, no memory, or could not read at that moment. */
const MOMENTARY: ReadonlySet<unknown> = new Set([
  "EMFILE",
  "ENFILE",
  "EAGAIN",
  "ENOMEM",
  "EIO",
  "ERR_INVALID_PACKAGE_CONFIG",
]);

export interface RetriedModule<Module> {
  readonly load: () => Promise<Module>;
  /** The module's address, from `import.meta.resolve`. */
  readonly address: () => string;
}

/**
 * Imports a package that is loaded on first use. When one file of a package could not be read, Node keeps the failure under the package's
 * address until the process ends, also if the fault was one of the moment. The next call then imports the package under another address.
 */
export function importRetry<Module>({ load, address }: RetriedModule<Module>): () => Promise<Module> {
  let failures = 0;
  return async () => {
    try {
      if (failures === 0) return await load();
      // The same file, and so the same exports.
      return (await import(/* @vite-ignore */ `${address()}?attempt=${failures}`)) as Module;
    } catch (error) {
      if (isMomentary(error)) failures += 1;
      throw error;
    }
  };
}

function isMomentary(error: unknown): boolean {
  return error instanceof Error && "code" in error && MOMENTARY.has(error.code);
}
