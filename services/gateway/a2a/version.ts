import { VersionNotSupportedError } from "@a2a-js/sdk/errors";
import type { FastifyRequest } from "fastify";
import { type A2aVersion, VERSIONS } from "../tasks/protocol.ts";

/** The version that the client names, in a header or in the query. Undefined if it names none. */
export function namedVersion({ headers, query }: Pick<FastifyRequest, "headers" | "query">): A2aVersion | undefined {
  const { "a2a-version": inQuery, "A2A-Version": other } = (query ?? {}) as Readonly<Record<string, unknown>>;
  const given = headers["a2a-version"] ?? other ?? inQuery;
  if (typeof given !== "string" || given === "") return undefined;
  // A patch of a version changes nothing on the wire.
  const [major, minor = "0"] = given.trim().split(".");
  const version = VERSIONS.find((each) => each === `${major}.${minor}`);
  if (version === undefined)
    throw new VersionNotSupportedError(`This version is not supported. Supported: ${VERSIONS.join(", ")}.`);
  return version;
}

/** Clients of 0.3 name no version. */
export function versionOf(request: Pick<FastifyRequest, "headers" | "query">): A2aVersion {
  return namedVersion(request) ?? "0.3";
}
