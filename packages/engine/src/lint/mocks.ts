import { type Check, compileCheck } from '@deckhand/contracts';
import type { TObject } from 'typebox';
import type { Rule } from './rule.ts';

/** Compiled when a mock of the type is checked first: most definitions have none. */
const checks = new WeakMap<TObject, Check<unknown>>();

/**
 * Finds mocks that the output schema of the type refuses. A node that waits reads its mock as an answer, and a list is
 * what a request with pagination returns; both are left out, and so is the output of a node that continues after its
 * error.
 */
export const mocks: Rule =
  () =>
  ({ definition: { mock }, type: { outputSchema, resume } }) => {
    if (mock === undefined || !outputSchema || resume || Array.isArray(mock) || isError(mock)) return [];
    const check = checks.get(outputSchema) ?? compileCheck(outputSchema);
    checks.set(outputSchema, check);
    const result = check(mock);
    const [issue] = 'issues' in result ? result.issues : [];
    if (!issue) return [];
    const member = issue.path === '' ? 'it' : issue.path;
    const message = `In sandbox mode, the nodes after it read the mock as its output, in which ${member} ${issue.message}.`;
    return [{ code: 'MOCK_DIFFERS', path: 'mock', message }];
  };

const isError = (mock: unknown): boolean => typeof mock === 'object' && mock !== null && 'error' in mock;
