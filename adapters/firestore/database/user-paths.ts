import { escapeSegment } from "#kit/names/identifiers.ts";

export const DEFAULT_ROOT_COLLECTION = "fairlead";

/**
 * The parent document of all data of an app. An identifier is one escaped segment, so no id can collide with one of our
 * names.
 */
export function appPath(root: string, appName: string): string {
  return `${root}/${escapeSegment(appName)}`;
}

/** The parent document of all data of a user of an app. */
export function userPath(
  root: string,
  { appName, userId }: { readonly appName: string; readonly userId: string },
): string {
  return `${appPath(root, appName)}/users/${escapeSegment(userId)}`;
}
