import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { skipFor } from "#tooling/missing-tool.ts";

const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const NO_BROWSER = "no Chromium found; CHROMIUM_PATH can name one";
const DEV_UI = fileURLToPath(new URL("../../.dev-ui/index.html", import.meta.url));

/** The Chromium of this machine; reports that the subject is not tested if there is none. */
export function browserFor(subject: string): string | undefined {
  const path = findBrowser();
  if (path === undefined) skipFor(subject, NO_BROWSER);
  return path;
}

function findBrowser(): string | undefined {
  const chosen = process.env["CHROMIUM_PATH"];
  return (chosen ? [chosen] : USUAL_PLACES).find((path) => existsSync(path));
}

function skipReason(): string | undefined {
  if (findBrowser() === undefined) return NO_BROWSER;
  if (!existsSync(DEV_UI)) return "the developer UI is not installed; get it with npm run ui:install";
  return undefined;
}

/** Returns why the tests in a browser cannot run here, and reports it once per file that asks. */
export function cannotRun(subject: string): boolean {
  const reason = skipReason();
  if (reason !== undefined) skipFor(subject, reason);
  return reason !== undefined;
}

/** A microphone that hears the file, and a camera; pages get them without asking. */
export function fakeDevices(microphone: string): readonly string[] {
  const flags = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
  return [...flags, `--use-file-for-fake-audio-capture=${microphone}`, "--autoplay-policy=no-user-gesture-required"];
}

/** `hosts` are addresses of host names that DNS does not resolve. */
export function launchBrowser(
  hosts: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Browser> {
  const rules = Object.entries(hosts).map(([host, address]) => `MAP ${host} ${address}`);
  return chromium.launch({
    executablePath: findBrowser() ?? "",
    args: [...flags, ...(rules.length === 0 ? [] : [`--host-resolver-rules=${rules.join(",")}`])],
    // Chromium refuses to start as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
  });
}
