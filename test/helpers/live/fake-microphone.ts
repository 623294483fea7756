import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const RATE = 16_000;
const TONE_SECONDS = 0.6;
const SILENT_SECONDS = 1.1;
const HEADER_BYTES = 44;

/** What Chromium's fake microphone hears: a tone and then silence, again and again, as a WAV file. Returns its path. */
export function writeFakeMicrophone(): string {
  const samples = Math.round(RATE * (TONE_SECONDS + SILENT_SECONDS));
  const file = Buffer.alloc(HEADER_BYTES + 2 * samples);
  file.write("RIFF", 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(2 * RATE, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(2 * samples, 40);
  for (let index = 0; index < RATE * TONE_SECONDS; index += 1)
    file.writeInt16LE(Math.round(20_000 * Math.sin((index * 440 * 2 * Math.PI) / RATE)), HEADER_BYTES + 2 * index);
  const path = join(mkdtempSync(join(tmpdir(), "microphone-")), "tone.wav");
  writeFileSync(path, file);
  return path;
}
