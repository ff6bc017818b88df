import { describe, expect, it } from '@jest/globals';
import { isNodeId, MAX_NODES } from '@deckhand/contracts';
import fc from 'fast-check';
import { fromText, toText } from './clip-text.ts';
import type { Clip } from './edits.ts';

const CLIP: Clip = {
  nodes: [
    {
      id: 'call',
      type: 'http',
      name: 'Call',
      parameters: { url: 'https://example.com' },
      position: { x: 1, y: -2 },
      disabled: true,
      retry: { maxAttempts: 3, delayMs: 10, factor: 2, maxDelayMs: 100 },
      timeoutSeconds: 5,
      onInterrupt: 'fail',
      onError: 'branch',
      mock: null,
      credentialId: '01a216ad-e340-77df-a226-641f700c7053',
    },
    { id: 'end', type: 'terminal' },
  ],
  edges: [
    { source: 'call', target: 'end' },
    { source: 'call', sourceHandle: 'error', target: 'end', targetHandle: 'in' },
  ],
  notes: [{ id: 'note', text: 'Read me', position: { x: 0, y: 0 }, width: 100, height: 80, color: 'blue' }],
};

const read = (value: unknown) => fromText(JSON.stringify(value));

describe('a part of a workflow as text', () => {
  it('is read as it was written', () => {
    expect(fromText(toText(CLIP))).toEqual(CLIP);
    expect(fromText(toText({ ...CLIP, notes: [] }))).toEqual({ ...CLIP, notes: [] });
    expect(fromText(toText({ nodes: [], edges: [], notes: CLIP.notes }))).toEqual({ ...CLIP, nodes: [], edges: [] });
  });

  it.each([
    '',
    'a sentence',
    '[]',
    '{"nodes": {}}',
    '{"nodes": []}',
    '{"nodes": [{"id": "a"}]}',
    '{"nodes": [{"id": "a/b", "type": "set"}]}',
    '{"nodes": [{"id": "a", "type": "set"}, {"id": "a", "type": "set"}]}',
    JSON.stringify({ nodes: [{ id: 'a', type: 'set', name: 'x'.repeat(2 * 1024 * 1024) }] }),
    JSON.stringify({ nodes: Array.from({ length: MAX_NODES + 1 }, (_, index) => ({ id: `n${index}`, type: 'set' })) }),
  ])('is not what %.60s is', (text) => {
    expect(fromText(text)).toBeUndefined();
  });

  it('has no members that a definition has not, and no edges that lead elsewhere', () => {
    const node = { id: 'a', type: 'set', position: { x: '1', y: 1 }, retry: 3, onError: 'explode', extra: 1 };
    const edges = [{ source: 'a', target: 'elsewhere' }, { source: 'a' }, 'a'];
    const note = { id: 'n', text: 'Read me', position: null, color: 'none' };
    expect(read({ nodes: [node], edges, notes: [note, 7], settings: {} })).toEqual({
      nodes: [{ id: 'a', type: 'set' }],
      edges: [],
      notes: [{ id: 'n', text: 'Read me', position: { x: 0, y: 0 } }],
    });
    expect(fromText('{"nodes": [{"id": "a", "type": "set", "position": {"x": 1e999, "y": 0}}]}')?.nodes).toEqual([
      { id: 'a', type: 'set' },
    ]);
  });

  it('is read or refused, whatever it is', () => {
    const anything = fc.jsonValue({ maxDepth: 2 });
    const id = fc.oneof(fc.constantFrom('a', 'b', 'c'), anything);
    const node = fc.record({
      id,
      type: fc.oneof(fc.constant('set'), anything),
      retry: anything,
      position: anything,
      parameters: anything,
    });
    // Without these, hardly any text has no node that is wrong.
    const right = fc.subarray(['a', 'b', 'c']).map((ids) => ids.map((nodeId) => ({ id: nodeId, type: 'set' })));
    const ends = { source: id, target: id };
    const edge = fc.oneof(fc.record(ends), fc.record({ ...ends, sourceHandle: anything }), anything);
    let edgesRead = 0;
    fc.assert(
      fc.property(
        fc.record({
          nodes: fc.oneof(fc.array(node), right),
          edges: fc.oneof(fc.array(edge), anything),
          notes: anything,
        }),
        (value) => {
          const clip = read(value);
          for (const { id: nodeId } of clip?.nodes ?? []) expect(isNodeId(nodeId)).toBe(true);
          const ids = new Set(clip?.nodes.map((each) => each.id));
          for (const { source, target } of clip?.edges ?? []) expect(ids.has(source) && ids.has(target)).toBe(true);
          edgesRead += clip?.edges.length ?? 0;
        },
      ),
    );
    expect(edgesRead).toBeGreaterThan(0);
  });
});
