import { existsSync } from "node:fs";
import { join } from "node:path";
import { prepareDataDir } from "#adapters/sqlite/data-dir.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { type ResealReport, resealCredentials, sealedCredentialsOf } from "#ports/credentials/sealed-credentials.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openCredentialStore } from "#shared/stores/credential-store.ts";
import { DATA_DIR_OPTIONS } from "#shared/stores/store-context.ts";
import { UsageError } from "../parse-arguments.ts";

export interface CredentialsCommand {
  readonly action: string | undefined;
  /** The words after the action. */
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly print: (text: string) => void;
}

const NOTHING: ResealReport = { count: 0, resealed: 0, left: [] };

/**
 * Runs `fairlead credentials reseal` on the store that the settings name, which a server may use at the same time. Returns
 * the exit code. Throws `UsageError` for wrong arguments.
 */
export async function credentials(command: CredentialsCommand): Promise<number> {
  const { action, words, flags, config, print } = command;
  if (action !== "reseal" || words.length > 0) throw new UsageError("Usage: fairlead credentials reseal [--json]");
  if (config.CREDENTIAL_STORE === "memory")
    throw new UsageError("CREDENTIAL_STORE is memory: its credentials are in the server's process, and not sealed.");
  const report = await reseal(command);
  print(flags.has("--json") ? JSON.stringify(report, null, 2) : reportText(report));
  return report.left.length === 0 ? 0 : 1;
}

async function reseal({ config, clock, ids, logger }: CredentialsCommand): Promise<ResealReport> {
  const file = join(config.DATA_DIR, "credentials.sqlite");
  if (config.CREDENTIAL_STORE === "sqlite" && !existsSync(file)) return NOTHING;
  await using stack = new AsyncDisposableStack();
  // Without the lock of the folder: a server may have it.
  const dataFolder = () => prepareDataDir(config.DATA_DIR, DATA_DIR_OPTIONS);
  const { store } = await openCredentialStore({ config, clock, ids, logger, stack, dataFolder });
  const sealed = sealedCredentialsOf(store);
  // Awaited here: the store is closed when this function returns.
  return sealed === undefined ? NOTHING : await resealCredentials(store, sealed);
}

function reportText({ count, resealed, left }: ResealReport): string {
  if (count === 0) return "There are no credentials.";
  const lines = left.map(
    ({ credential: { owner, credentialKey, keyName }, problem }) =>
      `Not resealed: ${[owner.tenantId, owner.appName, owner.userId, credentialKey].map(quoted).join(" ")}, sealed with ${keyName || "an unreadable text"}: ${problem}`,
  );
  const end = left.length === 0 ? "All have the current key." : `${left.length} have another key or are damaged.`;
  return [...lines, `${resealed} of ${count} credentials were sealed with the current key. ${end}`].join("\n");
}

/** Quotes a name with unusual characters, so that each name is one word of the line. */
function quoted(name: string): string {
  return /^[\w.@-]+$/.test(name) ? name : JSON.stringify(name);
}
