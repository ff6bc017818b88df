import { describe, expect, it } from '@jest/globals';
import { describeRunVersion, marksOf, nameAuthor } from './version-facts.ts';

describe('a version', () => {
  const workflow = { latestVersionId: 'v3', activeVersionId: 'v2' };

  it('is live only while its workflow is active', () => {
    expect(marksOf('v3', { ...workflow, status: 'active' })).toEqual(['Latest']);
    expect(marksOf('v2', { ...workflow, status: 'active' })).toEqual(['Live']);
    expect(marksOf('v2', { ...workflow, status: 'inactive' })).toEqual([]);
    expect(marksOf('v3', { ...workflow, activeVersionId: 'v3', status: 'active' })).toEqual(['Latest', 'Live']);
  });

  it('names who saved it, even if that person has left', () => {
    const members = [
      { userId: 'a', name: 'Ada' },
      { userId: 'b', name: 'Grace' },
    ];
    expect(['a', 'b', 'c', null].map((author) => nameAuthor(author, members, 'a'))).toEqual([
      'You',
      'Grace',
      'Former member',
      'Former member',
    ]);
    expect(nameAuthor('b', undefined, 'a')).toBe('');
  });

  it('of the run is named, if the canvas shows another one', () => {
    expect(describeRunVersion(3, 3, false)).toBe('Ran version 3.');
    expect(describeRunVersion(3, 3, true)).toBe('Ran version 3, without the changes on the canvas.');
    expect(describeRunVersion(3, 5, false)).toBe('Ran version 3. The canvas shows version 5.');
    expect(describeRunVersion(3, 5, true)).toBe('Ran version 3. The canvas shows version 5 with unsaved changes.');
  });
});
