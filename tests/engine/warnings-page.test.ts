import { parseOwnJson, WARNING_CODES, WARNINGS } from '@deckhand/contracts';
import { compileWorkflow, findWarnings } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

const [, ...sections] = readFileSync(new URL('../../docs/warnings.md', import.meta.url), 'utf8').split(/^## /m);
const sectionOf = new Map(sections.map((text) => [/^`(\w+)`\n/.exec(text)?.[1] ?? '', text]));
const nodeTypes = await loadNodeTypes();

/** Found where there is more than a definition: a credential, an original, or too many warnings. */
const WITHOUT_EXAMPLE = ['LOOP_EXCEEDS_RATE_LIMIT', 'WORKFLOW_NOT_FOUND', 'SECRET_REPLACED', 'MORE_WARNINGS'];

describe('docs/warnings.md', () => {
  it('has the codes of the catalog, in its order', () => {
    expect([...sectionOf.keys()]).toEqual(WARNING_CODES);
  });

  it.each(WARNING_CODES)('explains %s with the title and the remedy of the catalog', (code) => {
    expect(sectionOf.get(code)).toContain(`**${WARNINGS[code].title}.** `);
    expect(sectionOf.get(code)).toContain(`\n${WARNINGS[code].remedy}`);
  });

  it.each(WARNING_CODES.filter((code) => !WITHOUT_EXAMPLE.includes(code)))(
    'has an example whose only warning is %s',
    (code) => {
      const example = /```json\n([^]*?)```/.exec(sectionOf.get(code) ?? '')?.[1] ?? '';
      const compiled = compileWorkflow(parseOwnJson(example), nodeTypes);
      const warnings = 'workflow' in compiled ? findWarnings(compiled.workflow) : compiled.issues;
      expect(warnings).toEqual([expect.objectContaining({ code })]);
    },
  );
});
