import { describe, expect, it } from '@jest/globals';
import { readGreenRuns, readPartNames, withGreenRun } from './testing-page.ts';

const PAGE = `# Tests

| part | tests | last green run | minutes | CPU minutes |
|---|---|---|---|---|
| \`chaos\` | workers are killed | \`0a1b2c3d\` | 6.1 | 7.9 |
| \`walk\` | many clients | – | – | – |

More text.
`;

describe('the table of parts in docs/testing.md', () => {
  it('is read: the last green run of each part that has one', () => {
    expect([...readGreenRuns(PAGE)]).toEqual([['chaos', { commit: '0a1b2c3d', minutes: 6.1, cpuMinutes: 7.9 }]]);
    expect([...readPartNames(PAGE)]).toEqual([
      ['chaos', 'workers are killed'],
      ['walk', 'many clients'],
    ]);
  });

  it('is written: one row changes, and nothing else', () => {
    const run = { commit: 'ffffffff', minutes: 3.26, cpuMinutes: undefined };
    const changed = withGreenRun(PAGE, 'walk', run);
    expect(changed).toBe(PAGE.replace('many clients | – | – | –', 'many clients | `ffffffff` | 3.3 | –'));
    expect(readGreenRuns(changed).get('walk')).toEqual({ ...run, minutes: 3.3 });
  });

  it('must have the part', () => {
    expect(() => withGreenRun(PAGE, 'other', { commit: 'a', minutes: 1, cpuMinutes: 1 })).toThrow('other');
  });
});
