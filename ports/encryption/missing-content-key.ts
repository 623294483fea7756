/** An earlier refusal or failure of the provider, which is too old to be reported as the current state. */
export interface EarlierRefusal {
  readonly until: number;
  /** Asks the provider again in the background. Later calls use its answer. */
  readonly askAgain: () => void;
}

/** Thrown by synchronous code that needs a data key: `ContentKeys.load` loads it, and then the code is called again. */
export class MissingContentKey extends Error {
  readonly tenantId: string;
  /** The encrypted data key. Absent if a key for encryption is missing. */
  readonly wrapped: Buffer | undefined;
  readonly refused: EarlierRefusal | undefined;

  constructor(tenantId: string, wrapped?: Buffer, refused?: EarlierRefusal) {
    super("A data key is not in memory.");
    this.tenantId = tenantId;
    this.wrapped = wrapped;
    this.refused = refused;
  }
}

/** Thrown by code that reads content of many tenants, and can continue without the keys that are unavailable. */
export class MissingContentKeys extends Error {
  readonly keys: readonly MissingContentKey[];

  constructor(keys: readonly MissingContentKey[]) {
    super(`${keys.length} data keys are not in memory.`);
    this.keys = keys;
  }
}
