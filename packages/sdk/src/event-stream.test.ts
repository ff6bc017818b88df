import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseEvents, type StreamEvent } from './event-stream.ts';

async function parse(...chunks: readonly Uint8Array[]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of parseEvents(ReadableStream.from(chunks))) events.push(event);
  return events;
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a stream of events', () => {
  it.each([
    ['with LF', 'id: 1\ndata: a\n\n', [{ id: '1', data: 'a' }]],
    ['with CR LF', 'id: 1\r\ndata: a\r\n\r\n', [{ id: '1', data: 'a' }]],
    ['with several lines of data', 'data: a\ndata:b\n\n', [{ id: '', data: 'a\nb' }]],
    ['with comments, names and a retry', 'retry: 1000\n\n:\n\nevent: execution\ndata: a\n\n', [{ id: '', data: 'a' }]],
    [
      'whose later events have no id',
      'id: 7\ndata: a\n\ndata: b\n\n',
      [
        { id: '7', data: 'a' },
        { id: '7', data: 'b' },
      ],
    ],
    ['that ends within an event', 'data: a\n\ndata: b\n', [{ id: '', data: 'a' }]],
  ])('%s is parsed', async (_, text, events) => {
    expect(await parse(bytes(text))).toEqual(events);
  });

  it('is parsed alike however its bytes arrive', async () => {
    const text = 'id: 1\r\ndata: ä€😀\r\n\r\nid: 2\ndata: b\n\n';
    const whole = await parse(bytes(text));
    const all = bytes(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(all.length), { maxLength: 8 }), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), all.length];
        const chunks = ends.map((end, n) => all.subarray(ends[n - 1] ?? 0, end)).filter(({ length }) => length > 0);
        expect(await parse(...chunks)).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });
});
