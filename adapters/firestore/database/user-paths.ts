import { escapeSegment } from "#kit/platform/identifiers.ts";

export const DEFAULT_ROOT_COLLECTION = "agentplane";

/** The document below which everything of an app is. An identifier is one escaped segment, so that no id can collide with a name of ours. */
export function appPath(root: string, appName: string): string {
  return `${root}/${escapeSegment(appName)}`;
}

/** The document below which everything of a user of an app is. */
export function userPath(
  root: string,
  { appName, userId }: { readonly appName: string; readonly userId: string },
): string {
  return `${appPath(root, appName)}/users/${escapeSegment(userId)}`;
}
