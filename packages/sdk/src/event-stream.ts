/** An event of a stream. */
export interface StreamEvent {
  /** The id of the last event that had one; "" before. */
  readonly id: string;
  readonly data: string;
}

/** Longest line of a stream, in characters: a server that never ends a line must not fill the memory. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/**
 * Parses a stream of Server-Sent Events (WHATWG HTML, 9.2.6). An incomplete event at the end of the stream is dropped.
 * @throws RangeError for a line that is too long, and the errors of the stream.
 */
export async function* parseEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  let id = '';
  let data: string[] = [];
  for await (const line of readLines(stream)) {
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') };
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    if (name === 'id' && !value.includes('\0')) id = value;
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A CR at the end may be the first half of CR LF.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH) throw new RangeError('a line of the event stream is too long');
      yield* lines;
    }
  } finally {
    // Ends the request when the reader stops early.
    await reader.cancel().catch(() => undefined);
  }
}
