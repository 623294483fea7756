/** The provider has refused the key, or failed, and that is too long ago to count. */
export interface EarlierRefusal {
  readonly until: number;
  /** Asks the provider again, without waiting: later calls have its answer. */
  readonly askAgain: () => void;
}

/** Thrown by synchronous code that needs a data key: `ContentKeys.load` gets it, and then the code runs again. */
export class MissingContentKey extends Error {
  readonly tenantId: string;
  /** Absent for a key to encrypt with. */
  readonly wrapped: Buffer | undefined;
  readonly refused: EarlierRefusal | undefined;

  constructor(tenantId: string, wrapped?: Buffer, refused?: EarlierRefusal) {
    super("A data key is not in memory.");
    this.tenantId = tenantId;
    this.wrapped = wrapped;
    this.refused = refused;
  }
}

/** Thrown by code that reads content of many tenants, and can go on without the keys that cannot be had. */
export class MissingContentKeys extends Error {
  readonly keys: readonly MissingContentKey[];

  constructor(keys: readonly MissingContentKey[]) {
    super(`${keys.length} data keys are not in memory.`);
    this.keys = keys;
  }
}
