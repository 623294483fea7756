import { Version } from "#kit/version.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { runStandalone } from "#services/standalone/run-standalone.ts";
import { fetchDevUi, lacksDevUi, markDevUi } from "../dev-ui.ts";
import { printLine } from "../output/terminal.ts";
import { whenIdle } from "./when-idle.ts";

const FULL_ERRORS =
  "Errors show the texts of exceptions (ERROR_DETAIL=full), to clients on this machine only. Use generic for anything else.";

/** The addresses of the pages are printed after the check. */
const LOAD_MS = 5000;

/** The check comes after the requests of clients that waited for the server, and after this time in any case. */
const MOST_DELAY_MS = 3000;

/** Serves until a signal ends the process. Every app is checked when the server is ready, in moments without requests. */
export async function serve(config: StandaloneConfig): Promise<void> {
  const endMark = lacksDevUi(config) ? markDevUi() : undefined;
  const { url, errorDetail } = await runStandalone(config).catch((error: unknown) => {
    endMark?.();
    throw error;
  });
  reportToWatcher(url);
  const base = `${url}${config.PATH_PREFIX}`;
  printLine(`Fairlead ${Version.FAIRLEAD_VERSION} is ready: ${config.DEV_UI ? `${base}/dev-ui` : url}`);
  if (errorDetail === "full") printLine(FULL_ERRORS);
  if (endMark !== undefined) {
    printLine("The developer UI is being fetched: its page shows it as soon as it is installed.");
    // Never rejects. The server is ready without it.
    void fetchDevUi(endMark);
  }
  // The other loaders read folders of another form.
  if (config.AGENTS_LOADER === "directory") await showApps(config.AGENTS_DIR);
  const pages = [
    ...(config.DEV_UI ? [["Developer UI", "/dev-ui"]] : []),
    ...(config.CONSOLE ? [["Console", "/console"]] : []),
    ["API docs", "/docs"],
  ];
  printLine(`\n${pages.map(([title = "", path]) => `  ${title.padEnd(12)}  ${base}${path}`).join("\n")}`);
}

async function showApps(directory: string): Promise<void> {
  const nextIdle = whenIdle({ mostMs: MOST_DELAY_MS });
  await nextIdle();
  const [{ checkAgents }, { appsTable }] = await Promise.all([
    import("../check/check-agents.ts"),
    import("../check/apps-table.ts"),
  ]);
  printLine(`\n${appsTable(await checkAgents(directory, { loadMs: LOAD_MS, beforeApp: nextIdle }))}`);
}

/** With --watch, this process is the child of one that needs the address, and ends with that one. */
function reportToWatcher(url: string): void {
  if (process.send === undefined) return;
  process.send({ url });
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
