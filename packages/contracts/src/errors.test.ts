import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { ERRORS } from './errors.ts';
import { RUN_ERRORS } from './run-errors.ts';

describe('the catalogue of errors', () => {
  it('and docs/errors.md list the same codes with the same statuses', async () => {
    const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, code]) => [code, Number(status)]);
    expect(listed).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  });

  it('of runs and docs/errors.md list the same codes', async () => {
    const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const section = page.slice(page.indexOf('## Errors of runs'));
    const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(listed).toEqual(Object.keys(RUN_ERRORS));
  });
});
