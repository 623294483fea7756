import { PlatformError } from "#kit/errors/platform-error.ts";

export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** The setting that the operator changes: `HOST`, or a command's spelling of it. */
  readonly hostSetting: string;
  readonly portSetting: string;
}

const CAUSES: Readonly<Record<string, (place: ListenPlace) => string>> = {
  EADDRINUSE: ({ host, port, portSetting }) =>
    `Port ${port} on ${host} is in use. Stop the other server, or choose another port with ${portSetting}.`,
  EACCES: ({ port, portSetting }) =>
    `This user may not listen on port ${port}. Choose one above 1023 with ${portSetting}.`,
  EADDRNOTAVAIL: ({ host, hostSetting }) => `This machine has no address ${host}. Choose another with ${hostSetting}.`,
  ENOTFOUND: ({ host, hostSetting }) => `The host ${host} is not known. Choose another with ${hostSetting}.`,
};

/** Explains a port that could not be opened; returns any other error unchanged. */
export function listenError(error: unknown, place: ListenPlace): unknown {
  if (!(error instanceof Error)) return error;
  // gRPC wraps the system's error into a text.
  const code = "code" in error ? String(error.code) : "";
  const known = Object.keys(CAUSES).find((name) => name === code || error.message.includes(name));
  const describe = known === undefined ? undefined : CAUSES[known];
  return describe === undefined ? error : new PlatformError("CONFIGURATION", describe(place), { cause: error });
}
