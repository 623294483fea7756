const DATA_FRAME = Buffer.from("data:");

/**
 * Frames that begin in this chunk. A frame's `data:` may be split between two chunks; at 100 frames a run the error is
 * small.
 */
export function countFrames(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(DATA_FRAME); at !== -1; at = chunk.indexOf(DATA_FRAME, at + DATA_FRAME.length))
    count += 1;
  return count;
}
