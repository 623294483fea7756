import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Has the app `teller`, which tells held tales. */
export const TELLER_AGENTS = fileURLToPath(new URL("../../fixtures/platform-agents", import.meta.url));

export interface HeldTale {
  /** The message that asks for it. */
  readonly text: string;
  /** Its chunks, `1 ` and so on. */
  readonly chunks: readonly string[];
  /** The complete answer. */
  readonly whole: string;
  /** Lets the answer continue to this word, in any process that gives it. */
  tell(upTo: number): void;
  tellAll(): void;
}

/** An answer that is in progress until the test lets it end, however slow the machine is. */
export function pausedAnswer({ words = 20, pauseMs = 5, first = 3 } = {}): HeldTale {
  const folder = mkdtempSync(join(tmpdir(), "tale-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "words");
  const tell = (upTo: number): void => writeFileSync(file, `${upTo}`);
  tell(first);
  const chunks = Array.from({ length: words }, (_, index) => `${index + 1} `);
  const text = `tell ${words} ${pauseMs} ${file}`;
  return { text, chunks, whole: chunks.join(""), tell, tellAll: () => tell(words) };
}
