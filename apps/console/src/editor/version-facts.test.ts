import { describe, expect, it } from '@jest/globals';
import { marksOf, nameAuthor } from './version-facts.js';

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
});
