import { createInterface } from "node:readline/promises";

/** Asks on the terminal for the folder of a new project; an empty text if nobody can be asked. */
export async function askPath(): Promise<string> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return "";
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const controller = new AbortController();
    lines.once("close", () => controller.abort());
    return (await lines.question("Folder of the new project: ", { signal: controller.signal })).trim();
  } catch (error) {
    // Ctrl-C and Ctrl-D end the question.
    if (error instanceof Error && error.name === "AbortError") return "";
    throw error;
  } finally {
    lines.close();
  }
}
