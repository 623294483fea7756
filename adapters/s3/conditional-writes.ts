import { PlatformError } from "#kit/errors/platform-error.ts";
import { TENANTS_FOLDER } from "#ports/artifacts/bucket/artifact-layout.ts";
import { NO_GENERATION, type WriteObjectRequest } from "#ports/artifacts/bucket/object-bucket.ts";
import { isNotImplemented } from "./s3-errors.ts";

export interface ConditionalWritesOptions {
  /** Sends one request; false if the server finds that the condition is not met. */
  readonly put: (request: WriteObjectRequest) => Promise<boolean>;
  /** Whether objects are replaced too, as counts of storage are. */
  readonly replaces: boolean;
  /** The server's address and the name of its setting, for the error. */
  readonly server: string;
  readonly setting: string;
}

/** No tenant's id begins with a dot. The object stays: the next start then needs one request. */
const PROBE = `${TENANTS_FOLDER}/.conditional-writes`;
const OTHER_GENERATION = "00000000000000000000000000000000";

/**
 * Throws `CONFIGURATION` if the server ignores the conditions of writes. Without them two saves could get the same
 * number, and one of the files would be lost without an error.
 */
export async function assertConditionalWrites(options: ConditionalWritesOptions): Promise<void> {
  // The first write creates the object if no earlier start has.
  const isCreateOnly = !(await written(options, NO_GENERATION)) || !(await written(options, NO_GENERATION));
  if (!isCreateOnly) throw ignored(options, "If-None-Match: *");
  if (options.replaces && (await written(options, OTHER_GENERATION))) throw ignored(options, "If-Match");
}

async function written(options: ConditionalWritesOptions, generation: string): Promise<boolean> {
  const attributes = { contentType: "text/plain", metadata: {} };
  try {
    return await options.put({ name: PROBE, bytes: Buffer.from("probe"), attributes, generation });
  } catch (error) {
    if (!isNotImplemented(error)) throw error;
    throw ignored(options, generation === NO_GENERATION ? "If-None-Match: *" : "If-Match", error);
  }
}

function ignored({ server, setting }: ConditionalWritesOptions, header: string, cause?: unknown): PlatformError {
  return new PlatformError(
    "CONFIGURATION",
    `The S3 server at ${server} does not honour the header ${header} of a write, so that two saves could overwrite each other. Choose a server or a release with conditional writes (${setting}).`,
    { details: { setting }, cause },
  );
}
