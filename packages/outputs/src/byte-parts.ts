/** A part of a stream. */
export interface BytePart {
  /** Valid until the next part is read: the memory is used again. */
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

const FIRST_BYTES = 65_536;

/**
 * Divides a stream into parts of equal length, the last of which may be shorter. An empty stream has one empty part.
 * Holds one part at a time, so its reader sets the speed.
 * @param onMemory is called with the number of bytes that it holds; an error that it throws ends the stream.
 */
export async function* toParts(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  partBytes: number,
  onMemory: (bytes: number) => void,
): AsyncGenerator<BytePart, void, undefined> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  for await (const piece of content) {
    let offset = 0;
    while (offset < piece.byteLength) {
      // Only now it is known that the full part is not the last.
      if (length === partBytes) {
        yield { bytes: buffer, isLast: false };
        length = 0;
      }
      const count = Math.min(piece.byteLength - offset, partBytes - length);
      if (length + count > buffer.length) {
        buffer = grown(buffer, length, Math.min(partBytes, Math.max(length + count, 2 * buffer.length, FIRST_BYTES)));
        onMemory(buffer.length);
      }
      buffer.set(piece.subarray(offset, offset + count), length);
      length += count;
      offset += count;
    }
  }
  yield { bytes: buffer.subarray(0, length), isLast: true };
}

function grown(bytes: Buffer, length: number, capacity: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(capacity);
  larger.set(bytes.subarray(0, length));
  return larger;
}
