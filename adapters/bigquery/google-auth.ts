import { importOptional } from "#kit/optional-packages/optional-package.ts";

/** Members of the options that Google's clients share. */
interface ConnectionOptions {
  readonly apiEndpoint?: string;
  readonly authClient?: never;
}

const SCOPES = ["https://www.googleapis.com/auth/cloud-platform"];

/** The members of a service account's key that are used. */
export interface ServiceAccountKey {
  readonly client_email: string;
  readonly private_key: string;
}

/**
 * Options for one of Google's clients: where it calls and as whom; absent credentials are the process's own. Nothing is
 * authenticated without TLS, as with emulators: credentials never leave the process in plain text.
 */
export async function connectionOptions(
  endpoint: string | undefined,
  credentials: ServiceAccountKey | undefined,
): Promise<ConnectionOptions> {
  const place = endpoint === undefined ? {} : { apiEndpoint: endpoint };
  const isPlain = endpoint?.startsWith("http://") === true;
  if (credentials === undefined && !isPlain) return place;
  const { JWT, PassThroughClient } = await importOptional({
    name: "google-auth-library",
    user: "Analytics in BigQuery",
    load: () => import("google-auth-library"),
  });
  const { client_email: email, private_key: key } = credentials ?? {};
  const authClient = isPlain ? new PassThroughClient() : new JWT({ email, key, scopes: SCOPES });
  // Each client has its own version of the library, with types of its own.
  return { ...place, authClient: authClient as never };
}
