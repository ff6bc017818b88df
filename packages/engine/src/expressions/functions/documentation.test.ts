import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { compileTemplate, defaultLimits, expressionFunctions } from '../index.ts';

const page = readFileSync(new URL('../../../../../docs/expressions.md', import.meta.url), 'utf8');

describe('docs/expressions.md', () => {
  it('has one row for each function, in the order of the catalogue', () => {
    const escape = (text: string): string => text.replaceAll('|', '\\|');
    const rows = expressionFunctions.map(({ signature, doc }) => `| \`${escape(signature)}\` | ${escape(doc)} |`);
    const section = page.slice(page.indexOf('## Methods and functions'));
    expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });

  it('shows expressions that compile', () => {
    const shown = [...page.matchAll(/^ {4}(\{\{.*\}\})$|^\| `(.*\{\{.*\}\}.*)` \|/gm)].map(
      ([, block, cell]) => block ?? cell ?? '',
    );
    expect(shown.length).toBeGreaterThan(5);
    for (const text of shown) expect({ text, ...compileTemplate(text) }).toHaveProperty('template');
  });

  it('states the default limits', () => {
    expect(page).toContain(`${defaultLimits.steps.toLocaleString('en')} steps`);
    expect(page).toContain(`${defaultLimits.producedBytes / 1024 ** 2} MiB |`);
    expect(page).toContain(`${defaultLimits.resultBytes / 1024 ** 2} MiB, 1,000 levels`);
  });
});
