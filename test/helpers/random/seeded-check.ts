import fc from "fast-check";
import { TEST_SEED } from "./test-seed.ts";

// fast-check reports the seed of a property that fails, so that `SEED=…` repeats it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: TEST_SEED });

export type { AsyncCommand } from "fast-check";
/** fast-check, whose properties start from the seed of this execution. Tests import it from here only. */
export { fc };
