import { neededBytes, type SizeLimit } from "#ports/evaluation/size-limit.ts";
import type { AnswerReader, Room } from "#shared/answers/answer-account.ts";
import type { AnswerSource } from "../streams/send-pieces.ts";

/** What a set or a result has as a rule. */
const FIRST_BYTES = 64 * 1024;
/** Stored JSON as bytes and text, its values, the checked ones, and the answer as text and bytes. */
const COPIES = 8;

/** An answer that is made of one set, case or result, however large: it waits for the room that it states. */
export function evaluationAnswer<Value>(
  answers: AnswerReader,
  read: (limit: SizeLimit) => Promise<Value>,
  toWire: (value: Value) => unknown,
): AnswerSource {
  return { answers, pieces: pieces(answers, read, toWire) };
}

async function* pieces<Value>(
  answers: AnswerReader,
  read: (limit: SizeLimit) => Promise<Value>,
  toWire: (value: Value) => unknown,
): AsyncGenerator<string, void, undefined> {
  const { text, room } = await readEvaluation(answers, read, toWire);
  using _ = room;
  yield text;
}

/** A text and the room that it has. */
export interface RoomyText {
  readonly text: string;
  readonly room: Room;
}

/** Reads with little room first. Data that is larger is refused with its size, and read again with the room for it. */
export async function readEvaluation<Value>(
  answers: AnswerReader,
  read: (limit: SizeLimit) => Promise<Value>,
  toWire: (value: Value) => unknown,
): Promise<RoomyText> {
  for (let maxBytes = FIRST_BYTES; ; ) {
    const room = answers.take(COPIES * maxBytes) ?? (await answers.wait(COPIES * maxBytes));
    try {
      const text = JSON.stringify(toWire(await read({ maxBytes })));
      room.shrink(2 * text.length);
      return { text, room };
    } catch (error) {
      room[Symbol.dispose]();
      const bytes = neededBytes(error);
      if (bytes === undefined) throw error;
      maxBytes = bytes;
    }
  }
}
