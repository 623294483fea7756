/** Failures that can pass: the system had no file descriptor or no memory, or could not read at that moment. */
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
 * Imports a package that is loaded on first use. If a file of a package cannot be read, Node keeps the failure under
 * the package's address until the process ends, even if the fault was temporary. The next call therefore imports the
 * package under another address.
 */
export function importRetry<Module>({ load, address }: RetriedModule<Module>): () => Promise<Module> {
  let failures = 0;
  return async () => {
    try {
      if (failures === 0) return await load();
      // It is the same file, so it has the same exports.
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
