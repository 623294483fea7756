import { PlatformError } from "#kit/errors/platform-error.ts";
import { InvalidRequestError } from "../http/errors.ts";

/** The resource that a path below `…/artifacts/` names. A version is a number, or `latest`. */
export type ArtifactTarget =
  | { readonly kind: "artifact" | "versions" | "metadata-list"; readonly filename: string }
  | { readonly kind: "version" | "metadata"; readonly filename: string; readonly version: number | "latest" };

/**
 * File names may contain slashes, raw or encoded, so a pattern cannot distinguish the routes. The raw segments of the
 * rest of the path decide, the most specific form first; a name that ends like a route must encode its slashes.
 */
export function parseArtifactPath(rawUrl: string, route: string | undefined): ArtifactTarget {
  const segments = artifactSegments(rawUrl, route);
  const [fourth, third, second, last] = [segments.at(-4), segments.at(-3), segments.at(-2), segments.at(-1)];
  if (fourth !== undefined && third === "versions" && last === "metadata" && second !== undefined) {
    return { kind: "metadata", filename: toFilename(segments.slice(0, -3)), version: toVersion(second) };
  }
  if (third !== undefined && second === "versions" && last === "metadata") {
    return { kind: "metadata-list", filename: toFilename(segments.slice(0, -2)) };
  }
  if (third !== undefined && second === "versions" && last !== undefined) {
    return { kind: "version", filename: toFilename(segments.slice(0, -2)), version: toVersion(last) };
  }
  if (second !== undefined && last === "versions")
    return { kind: "versions", filename: toFilename(segments.slice(0, -1)) };
  return { kind: "artifact", filename: toFilename(segments) };
}

/** The whole tail as a file name, whatever it looks like. */
export function parseArtifactName(rawUrl: string, route: string | undefined): string {
  return toFilename(artifactSegments(rawUrl, route));
}

/** The segments in place of the `*` at the end of the route, which may be mounted below any fixed path. */
function artifactSegments(rawUrl: string, route = ""): readonly string[] {
  return (rawUrl.split("?", 1)[0] ?? "").split("/").slice(route.split("/").length - 1);
}

function toFilename(segments: readonly string[]): string {
  try {
    return segments.map(decodeURIComponent).join("/");
  } catch (error) {
    throw new PlatformError("INVALID_IDENTIFIER", "The file name in the path is not percent-encoded UTF-8.", {
      cause: error,
    });
  }
}

function toVersion(text: string): number | "latest" {
  if (text === "latest") return text;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  const problem = {
    type: "int_parsing",
    loc: ["path", "version"],
    msg: "Invalid version ID: use a whole number, or latest",
  };
  throw new InvalidRequestError([problem]);
}
