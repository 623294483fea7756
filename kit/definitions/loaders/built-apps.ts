import { basename, join, resolve } from "node:path";
import { type AppFolder, BUILT_FILES, type FoundApps, findAppFolders, foldersIn, MODULE_FILES } from "./app-folder.ts";

export interface BuiltAppsSearch {
  /** A project, or a folder of projects. */
  readonly root: string;
  /** The folders that build tools write in a project, the preferred one first. */
  readonly outputs: readonly string[];
}

/** A built app: `name` is that of its project and `path`, its folder's place in the build output. */
interface BuiltApp {
  readonly project: string;
  readonly path: string;
  readonly folder: AppFolder;
}

/**
 * Finds what was built in a project and in the projects below it. An app is named by its folder's path without the
 * output folder: `dist/weather/agent.js` is `weather`, and `shop/dist/cart/agent.js` is `shop.cart`. Modules from which
 * nothing was built are served directly; a module whose path ends as that of a built app is taken for its source. Never
 * throws.
 */
export async function findBuiltApps(search: BuiltAppsSearch): Promise<FoundApps> {
  const root = resolve(search.root);
  const children = (await foldersIn(root).catch(() => [])).filter((name) => !search.outputs.includes(name));
  const places = ["", ...children].flatMap((project) => {
    return search.outputs.map((output) => ({ project, directory: join(root, project, output) }));
  });
  const found = await Promise.all(
    places.map(async ({ project, directory }) => {
      const { apps, unreadable } = await findAppFolders({ root: directory, files: BUILT_FILES });
      return { unreadable, built: [...apps.values()].map((folder) => toBuiltApp(project, directory, folder)) };
    }),
  );
  const built = found.flatMap((place) => place.built);
  const except = places.map(({ directory }) => directory);
  const modules = await findAppFolders({ root, files: MODULE_FILES, except });
  const sources = [...modules.apps.values()].filter(({ name }) => !built.some((app) => isSourceOf(name, app)));
  const named = built.map(({ folder, ...place }) => ({ ...folder, name: nameOf(place) || basename(root) }));
  return {
    // Of two with one name, the later entry counts.
    apps: new Map([...sources, ...named.reverse()].map((folder) => [folder.name, folder])),
    unreadable: [...found.flatMap(({ unreadable }) => unreadable), ...modules.unreadable],
  };
}

function toBuiltApp(project: string, output: string, folder: AppFolder): BuiltApp {
  // An app that is the whole output has the name of its project.
  return { project, path: folder.directory === output ? "" : folder.name, folder };
}

function nameOf({ project, path }: Pick<BuiltApp, "project" | "path">): string {
  return [project, path].filter((part) => part !== "").join(".");
}

function isSourceOf(name: string, { project, path }: BuiltApp): boolean {
  if (project !== "" && name !== project && !name.startsWith(`${project}.`)) return false;
  return path === "" || name === path || name.endsWith(`.${path}`);
}
