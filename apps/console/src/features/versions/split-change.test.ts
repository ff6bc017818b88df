import { describe, expect, it } from '@jest/globals';
import { splitChange } from './split-change.ts';

describe('what differs between two values', () => {
  it('is found in whole words', () => {
    expect(splitChange('{{ $trigger.amount > 100 }}', '{{ $trigger.amount > 250 }}')).toEqual({
      start: '{{ $trigger.amount > ',
      before: '100',
      after: '250',
      end: ' }}',
    });
    expect(splitChange('one two', 'one two three')).toEqual({ start: 'one two', before: '', after: ' three', end: '' });
    expect(splitChange('aa', 'a')).toEqual({ start: '', before: 'aa', after: 'a', end: '' });
    expect(splitChange('- -', '-')).toEqual({ start: '-', before: ' -', after: '', end: '' });
  });

  it('leaves signs beyond the basic plane whole', () => {
    expect(splitChange('🙂', '🙃')).toEqual({ start: '', before: '🙂', after: '🙃', end: '' });
  });

  it('is seen even where only the kind of value differs', () => {
    expect(splitChange(5, '5')).toEqual({ start: '', before: '5', after: '"5"', end: '' });
  });

  it('is found in JSON, too', () => {
    expect(splitChange({ a: [1, 2] }, { a: [1, 3] })).toMatchObject({ before: '2', after: '3' });
  });
});
