/** The texts of files that name the version. */
export interface ReleaseFiles {
  readonly packageJson: string;
  readonly chart: string;
  readonly changelog: string;
}

const VERSION = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/;

/** Names each version and date that does not fit a release with this tag, such as `v0.1.0`; empty if all do. */
export function releaseFaults(tag: string, { packageJson, chart, changelog }: ReleaseFiles): readonly string[] {
  const version = VERSION.exec(tag)?.[1];
  if (version === undefined)
    return [`"${tag}" is not a tag of a release: use v and a semantic version, such as v0.1.0.`];
  const { version: packageVersion } = JSON.parse(packageJson) as { readonly version?: string };
  const versions = [
    ["version of package.json", packageVersion],
    ["version of Chart.yaml", lineOf(chart, "version")],
    ["appVersion of Chart.yaml", lineOf(chart, "appVersion")],
  ] as const;
  const faults = versions.flatMap(([name, found]) =>
    found === version ? [] : [`The ${name} is ${found ?? "missing"}, and the tag is ${tag}.`],
  );
  const [heading] = sectionOf(changelog, version);
  if (heading === undefined) faults.push(`CHANGELOG.md has no section "## [${version}] - DATE".`);
  else if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading)) faults.push(`CHANGELOG.md gives no date: "${heading}".`);
  return faults;
}

/** The section of a version without its heading. Throws if there is none. */
export function releaseNotes(changelog: string, version: string): string {
  const [heading, ...lines] = sectionOf(changelog, version);
  if (heading === undefined) throw new Error(`CHANGELOG.md has no section "## [${version}]".`);
  return `${lines.join("\n").trim()}\n`;
}

/** The values of the chart with an image of a registry, by its digest if one is given. */
export function chartValues(
  values: string,
  { image, digest = "" }: { readonly image: string; readonly digest?: string },
): string {
  const parts = /^([a-z0-9][a-z0-9.-]*(?::\d+)?)\/([a-z0-9][a-z0-9._/-]*)$/.exec(image);
  if (parts === null)
    throw new Error(`"${image}" names no registry and repository: use a form like ghcr.io/acme/fairlead.`);
  if (digest !== "" && !/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`"${digest}" is not a digest sha256:….`);
  const repository = replaceOnce(values, "  repository: fairlead", `  repository: ${image}`);
  return replaceOnce(repository, '  digest: ""', `  digest: "${digest}"`);
}

function sectionOf(changelog: string, version: string): readonly string[] {
  const lines = changelog.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (start === -1) return [];
  const end = lines.findIndex((line, index) => index > start && line.startsWith("## "));
  return lines.slice(start, end === -1 ? undefined : end);
}

function lineOf(yaml: string, key: string): string | undefined {
  const line = yaml.split("\n").find((each) => each.startsWith(`${key}:`));
  return line
    ?.slice(key.length + 1)
    .trim()
    .replaceAll('"', "");
}

function replaceOnce(text: string, old: string, replacement: string): string {
  const parts = text.split(`${old}\n`);
  if (parts.length !== 2) throw new Error(`values.yaml has ${parts.length - 1} lines "${old}", and not one.`);
  return parts.join(`${replacement}\n`);
}
