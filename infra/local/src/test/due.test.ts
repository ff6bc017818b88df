import { describe, expect, it } from '@jest/globals';
import { partsDue } from './due.ts';
import type { TestPart } from './parts.ts';

const part = (name: string, reachedBy: RegExp): TestPart => ({ name, about: '', steps: [], reachedBy });
const [a, b, c] = [part('a', /^a\//), part('b', /^b\//), part('c', /^c\//)];
const names = (parts: readonly TestPart[]): string[] => parts.map(({ name }) => name);

describe('the parts that CI runs for a commit', () => {
  it('are one in rotation by the commit, then those that the changes reach', () => {
    const changed = () => ['c/x.ts'];
    expect(names(partsDue([a, b, c], 0, changed))).toEqual(['a', 'c']);
    expect(names(partsDue([a, b, c], 1, changed))).toEqual(['b', 'c']);
    expect(names(partsDue([a, b, c], 2, changed))).toEqual(['c']);
  });

  it('include each part whose last green run is unknown', () => {
    expect(names(partsDue([a, b, c], 3, (of) => (of === b ? undefined : [])))).toEqual(['a', 'b']);
  });

  it('compare each part with its own last green run', () => {
    const since = new Map([
      [a, ['b/x.ts']],
      [b, ['b/x.ts']],
      [c, []],
    ]);
    expect(names(partsDue([a, b, c], 2, (of) => since.get(of)))).toEqual(['c', 'b']);
  });
});
