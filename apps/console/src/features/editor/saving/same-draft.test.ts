import { describe, expect, it } from '@jest/globals';
import { type SaveDraftBody, SECRET_OF_DRAFT } from '@deckhand/contracts';
import { isSameDraft } from './same-draft.ts';

const draft = (parameters: Record<string, string>, x = 0): SaveDraftBody => ({
  definition: { nodes: [{ id: 'hook', type: 'trigger.webhook', position: { x, y: 0 }, parameters }], edges: [] },
});

describe('a stored draft', () => {
  it('is the same as what was sent, whatever the order of its members and without its secrets', () => {
    const stored = { ...draft({ method: 'POST', secret: SECRET_OF_DRAFT }), baseVersionId: null };
    expect(isSameDraft(draft({ secret: 'hush', method: 'POST' }), stored)).toBe(true);
  });

  it('is another one if a value, a position or the version that it started from differs', () => {
    const sent = draft({ method: 'POST' });
    expect(isSameDraft(sent, draft({ method: 'PUT' }))).toBe(false);
    expect(isSameDraft(sent, draft({ method: 'POST' }, 280))).toBe(false);
    expect(isSameDraft(sent, { ...sent, baseVersionId: 'other' })).toBe(false);
  });
});
