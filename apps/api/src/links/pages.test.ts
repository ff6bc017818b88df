import { describe, expect, it } from '@jest/globals';
import type { LinkState } from './link-state.ts';
import { ENGLISH, pageLanguageOf } from './page-language.ts';
import { linkPage, messagePage } from './pages.ts';

const languageFor = (accepted: 'en' | 'de' | false) => pageLanguageOf({ acceptsLanguages: () => accepted });
const GERMAN = languageFor('de');
const approval = { kind: 'approval', message: 'Ship it?', choices: ['approved', 'rejected', 'later'] } as const;
const form = {
  kind: 'human',
  title: 'When?',
  schema: { type: 'object', properties: { day: { type: 'string', title: 'Day' } } },
} as const;
const at = new Date('2026-01-05T09:30:00Z');
const STATES: readonly LinkState[] = [
  { kind: 'unknown' },
  { kind: 'notYet' },
  { kind: 'open', question: approval },
  { kind: 'open', question: form },
  { kind: 'open', question: { ...form, schema: { type: 'array' } } },
  { kind: 'paused', question: approval },
  { kind: 'timedOut', question: approval },
  { kind: 'ended', question: approval },
  { kind: 'answered', question: approval, answer: '{"decision":"approved"}', isByLink: true, at },
  { kind: 'answered', question: approval, answer: '{"decision":"later"}', isByLink: false, at },
];

/** The texts of a page, without what its author wrote. */
function textsOf(page: string): string[] {
  const texts = page.replace(/<style>.*<\/style>/s, '').split(/<[^>]*>|, /);
  return texts.map((text) => text.trim()).filter((text) => text !== '' && !/UTC|Ship it|When\?|Day|later$/.test(text));
}

describe('the pages of links', () => {
  it('are in the language that the browser prefers, of those that there are', () => {
    expect([languageFor('en'), languageFor('de'), languageFor(false)].map(({ tag }) => tag)).toEqual([
      'en',
      'de',
      'en',
    ]);
  });

  it('have no English text in German', () => {
    for (const state of STATES) {
      const rejected = { entered: {}, issues: [{ path: 'comment', message: 'is required' }] };
      const [english, german] = [ENGLISH, GERMAN].map((language) => linkPage(state, language, { rejected }));
      expect(german).toContain('<html lang="de">');
      const same = new Set(textsOf(english!));
      expect(textsOf(german!).filter((text) => same.has(text))).toEqual([]);
    }
  });

  it('have errors and times in German', () => {
    expect(messagePage(GERMAN, 'That did not work', 'Send the form of this page')).toContain('Senden Sie das Formular');
    expect(linkPage(STATES.at(-1)!, GERMAN)).toContain('beantwortet, 05.01.2026, 09:30 UTC.');
    expect(linkPage(STATES.at(-1)!, GERMAN, { note: 'Your answer is recorded.' })).toContain('Antwort ist gespeichert');
    // What the author of the workflow wrote stays.
    expect(linkPage(STATES[2]!, GERMAN)).toContain('value="approved">genehmigt</button>');
    expect(linkPage(STATES[2]!, GERMAN)).toContain('>later</button>');
  });
});
