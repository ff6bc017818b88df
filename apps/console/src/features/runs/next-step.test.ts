import { NODE_ERRORS, RUN_ERRORS } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { ADVISED_CODES, nextStepFor } from './next-step.ts';

const advise = (code: string): string => nextStepFor(code)?.advice ?? '';

it('what may not happen twice, or passes by itself, is said of errors', () => {
  expect(advise('NODE_INTERRUPTED')).toContain('check whether it has acted before you re-run');
  expect(advise('MEMORY_EXCEEDED')).toContain('re-run');
  expect(advise('LOCK_TIMEOUT')).toContain('re-run once it has ended');
  expect(nextStepFor('CREDENTIAL_HOST')?.area).toBe('credentials');
  expect(nextStepFor('NOT_A_CODE')).toBeUndefined();
});

it('limits of steps cannot be raised, and no retries are advised for errors that are not retried', () => {
  expect(['EXPRESSION_BUDGET', 'NODE_BUDGET'].filter((code) => advise(code).includes('raise'))).toEqual([]);
  const unretried = Object.entries(NODE_ERRORS).flatMap(([code, { retry }]) => (retry === 'no' ? [code] : []));
  expect(unretried.length).toBeGreaterThan(0);
  expect(unretried.filter((code) => advise(code).includes('set retries'))).toEqual([]);
});

it('is known for codes of the catalogues only', () => {
  expect(ADVISED_CODES.filter((code) => !(code in NODE_ERRORS) && !(code in RUN_ERRORS))).toEqual([]);
});
