/** Compiled modules run on the package's oldest Node; sources need type stripping and `using`. */
const OLDEST = {
  compiled: { major: 22, minor: 16, remedy: "install a newer one" },
  sources: { major: 24, minor: 12, remedy: "run it with npm, which brings its own" },
};

export type CodeForm = keyof typeof OLDEST;

/** The message for a Node that cannot run this code, or undefined. Called before any newer code is imported. */
export function refuseOldNode(
  version: string,
  form: CodeForm = import.meta.url.endsWith(".ts") ? "sources" : "compiled",
): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const oldest = OLDEST[form];
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return undefined;
  return `Fairlead needs Node ${oldest.major}.${oldest.minor} or newer, and this is Node ${version}: ${oldest.remedy}.`;
}
