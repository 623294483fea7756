const OLDEST_MAJOR = 24;
const OLDEST_MINOR = 12;

/** The message for a Node that cannot run this code, or undefined. Called before any newer code is imported. */
export function refuseOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR)) return undefined;
  return `Agentplane needs Node ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer, and this is Node ${version}: run it with npm, which brings its own.`;
}
