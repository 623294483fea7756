import { describe, expect, it } from "vitest";
import { CONTENT_RANGE_BYTES, type ReadArtifactRequest } from "#kit/artifacts/artifact-service.ts";
import { AnswerAccount } from "#shared/answers/answer-account.ts";
import type { Pausable } from "./paced-response.ts";
import { RANGE_ROOM_BYTES, writePieces } from "./write-pieces.ts";

const KEY = { session: { appName: "a", userId: "u", id: "s" }, filename: "f", version: 0 };
const LIMITS = { maxBytes: 2 * RANGE_ROOM_BYTES, maxBytesOfUser: 0 };

/** Writes a file between two texts; `meet` is called before each text is taken. */
async function write(
  content: Buffer,
  encoding: "base64" | "utf8",
  { meet = () => {}, stored = content }: { meet?: (world: World) => void; stored?: Buffer } = {},
) {
  const account = new AnswerAccount(LIMITS);
  const asked: ReadArtifactRequest[] = [];
  const world: World = { account, asked, texts: [], isOver: false, ahead: new Set() };
  const writer = {
    get isOver() {
      return world.isOver;
    },
    ahead: world.ahead,
    write: async (text: string) => {
      meet(world);
      world.texts.push(text);
    },
  };
  const artifactService = {
    readArtifact: async (request: ReadArtifactRequest) => {
      asked.push(request);
      return new Uint8Array(stored.subarray(request.from, request.from + request.bytes));
    },
  };
  const piece = { ...KEY, contentBytes: content.length, encoding };
  const failure = await writePieces({ artifactService, answers: account.reader("u") }, writer, ["<", piece, ">"]).catch(
    (error: { reason?: string }) => error.reason,
  );
  return { ...world, failure, usedBytes: account.usedBytes, text: world.texts.join("") };
}

interface World {
  readonly account: AnswerAccount;
  readonly asked: ReadArtifactRequest[];
  readonly texts: string[];
  isOver: boolean;
  readonly ahead: Set<Pausable>;
}

const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251));
const nothingLeft = { usedBytes: 0, ahead: new Set(), failure: undefined };

describe("a file in an answer", () => {
  it.each([0, 1, 48 * 1024, CONTENT_RANGE_BYTES, CONTENT_RANGE_BYTES + 1])(
    "of %i bytes is written as base64, range by range, and leaves nothing behind",
    async (length) => {
      const content = bytesOf(length);
      const most: number[] = [];
      const written = await write(content, "base64", { meet: ({ account }) => void most.push(account.usedBytes) });
      expect(written.text).toBe(`<${content.toString("base64")}>`);
      expect(written).toMatchObject(nothingLeft);
      expect(written.asked.map(({ from, bytes }) => [from, bytes])).toEqual(
        [0, CONTENT_RANGE_BYTES]
          .filter((from) => from < length)
          .map((from) => [from, Math.min(CONTENT_RANGE_BYTES, length - from)]),
      );
      // Its room is taken before it is read, and given back at its end.
      expect(new Set(most.slice(1, -1))).toEqual(new Set(length === 0 ? [] : [RANGE_ROOM_BYTES]));
      expect(Math.max(...written.texts.map((text) => text.length))).toBeLessThanOrEqual(64 * 1024);
    },
  );

  it("is written as text, whose characters may be cut between two ranges", async () => {
    const text = `${"x".repeat(8 * 1024 - 1)}é"\n${"漢".repeat(CONTENT_RANGE_BYTES / 3)}`;
    const written = await write(Buffer.from(text), "utf8");
    expect(JSON.parse(`"${written.text.slice(1, -1)}"`)).toBe(text);
    expect(written).toMatchObject(nothingLeft);
  });

  it("is read again from where it was when its reader had stalled", async () => {
    const content = bytesOf(CONTENT_RANGE_BYTES);
    const written = await write(content, "base64", {
      meet: ({ ahead, texts, account }) => {
        if (texts.length !== 2) return;
        for (const each of ahead) each.pause();
        expect(account.usedBytes).toBe(0);
      },
    });
    expect(written.text).toBe(`<${content.toString("base64")}>`);
    expect(written.asked.map(({ from }) => from)).toEqual([0, 96 * 1024]);
    expect(written).toMatchObject(nothingLeft);
  });

  it("ends with its reader, and with the file", async () => {
    const content = bytesOf(CONTENT_RANGE_BYTES + 1);
    const left = await write(content, "base64", { meet: (world) => void (world.isOver = world.texts.length === 1) });
    expect([left.texts.length, left.asked.length]).toEqual([2, 1]);
    expect(left).toMatchObject(nothingLeft);
    const deleted = await write(content, "base64", { stored: content.subarray(1) });
    expect(deleted).toMatchObject({ ...nothingLeft, failure: "ARTIFACT_NOT_FOUND" });
  });
});
