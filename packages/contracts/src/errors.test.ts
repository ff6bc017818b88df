import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { errorsPage } from '../../../tests/harness/error-tables.ts';
import { ERROR_TEXTS, RUN_ERROR_TEXTS } from './error-texts.ts';
import { ERRORS } from './errors.ts';
import { NODE_ERRORS } from './node-errors.ts';
import { RUN_ERRORS } from './run-errors.ts';

/** The page, whose tables UPDATE_DOCS=1 writes. */
const PAGE = new URL('../../../docs/errors.md', import.meta.url);

const page = readFileSync(PAGE, 'utf8');
const listed = new Set([...page.matchAll(/^\| (?:\d{3} \| )?`(\w+)` \|/gm)].map(([, code = '']) => code));

describe('the catalogue of errors', () => {
  it('and docs/errors.md list the same codes, with the same statuses and texts', () => {
    const text = errorsPage(page);
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(PAGE, text);
    expect(readFileSync(PAGE, 'utf8')).toBe(text);
  });

  it.each([
    ['requests', ERRORS],
    ['runs', RUN_ERRORS],
    ['nodes', NODE_ERRORS],
  ])('of %s is on the page, code by code', (_of, codes) => {
    expect(Object.keys(codes).filter((code) => !listed.has(code))).toEqual([]);
  });

  it('explains each code in the order of the codes', () => {
    expect(Object.keys(ERROR_TEXTS)).toEqual(Object.keys(ERRORS));
    expect(Object.keys(RUN_ERROR_TEXTS)).toEqual(Object.keys(RUN_ERRORS));
  });
});
