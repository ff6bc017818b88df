import { expect, it } from '@jest/globals';
import { ApiError } from '../api/api-error.ts';
import { issuesWithin } from './issue-at.ts';

const refused = (...paths: string[]): ApiError =>
  new ApiError(400, { code: 'VALIDATION_FAILED', details: paths.map((path) => ({ path, message: 'is wrong' })) });

it.each([
  [
    refused('input', 'input.name', 'input[0].a', 'input.a.b'),
    ['is wrong', 'name: is wrong', '[0].a: is wrong', 'a.b: is wrong'],
  ],
  [refused('input.name', 'mocks'), []],
  [refused('inputs'), []],
  [new ApiError(500, {}), []],
  [undefined, []],
])('issues within a field are named by their paths in it (%#)', (error, expected) => {
  expect(issuesWithin(error, 'input')).toEqual(expected);
});
