import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type DevUiFolder, devUiFolder, isDevUiInstalled, markInstallation } from "#shared/process/dev-ui-folder.ts";

const INSTALLER = fileURLToPath(new URL("../deploy/install-dev-ui.mjs", import.meta.url));

/** `fairlead ui install`: fetches the developer UI for all servers of this version. Returns the exit code. */
export function installDevUi(): Promise<number> {
  const folder = devUiFolder();
  return install(folder, "inherit", tryToMark(folder));
}

/**
 * Whether `fairlead serve` fetches the UI: in the published package, which does not contain it, unless it is installed
 * already. In a clone `npm ci` installs it.
 */
export function lacksDevUi(config: { readonly DEV_UI: boolean; readonly DEV_UI_DIR: string }): boolean {
  return (
    import.meta.url.endsWith(".js") &&
    config.DEV_UI &&
    config.DEV_UI_DIR === "" &&
    !isDevUiInstalled(devUiFolder().path)
  );
}

/**
 * Marks that the UI is being installed, before the start of a server that would otherwise report it as missing. Returns
 * a function that removes the mark.
 */
export function markDevUi(): () => void {
  return tryToMark(devUiFolder());
}

/**
 * Fetches the UI in a process of its own, which may outlive this one, and removes the mark. A failure is one line on
 * the error output, with the command that repeats it.
 */
export async function fetchDevUi(endMark: () => void): Promise<void> {
  await install(devUiFolder(), ["ignore", "ignore", "inherit"], endMark);
}

function install(
  folder: DevUiFolder,
  stdio: "inherit" | ["ignore", "ignore", "inherit"],
  endMark: () => void,
): Promise<number> {
  const argv = [INSTALLER, "--dir", folder.path, "--retry-with", folder.installCommand];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argv, { stdio });
    const end = (code: number) => {
      endMark();
      resolve(code);
    };
    child.once("error", () => end(1));
    child.once("exit", (code) => end(code ?? 1));
    // A server that stops does not wait for it.
    if (stdio !== "inherit") child.unref();
  });
}

/** Only the page that is shown meanwhile needs the mark; the installer reports a folder that cannot be written. */
function tryToMark({ path }: DevUiFolder): () => void {
  try {
    return markInstallation(path);
  } catch {
    return () => undefined;
  }
}
