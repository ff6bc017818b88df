import { describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@deckhand/runtime';
import { createUsageLog } from './authenticate.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

describe('the log of last uses', () => {
  it('writes each id at most once a minute', async () => {
    let now = 0;
    const written: (readonly string[])[] = [];
    const write = (ids: readonly string[]): Promise<void> => Promise.resolve(void written.push(ids));
    const log = createUsageLog({ write, logger, now: () => now });
    for (const id of ['a', 'b', 'a']) log.note(id);
    await log.flush();
    now = 59_999;
    log.note('a');
    await log.flush();
    expect(written).toEqual([['a', 'b']]);
    now = 60_000;
    log.note('a');
    await log.flush();
    expect(written).toEqual([['a', 'b'], ['a']]);
  });

  it('tries again with the next use after a write that failed', async () => {
    const write = jest.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('down')).mockResolvedValue();
    const log = createUsageLog({ write, logger, now: () => 0 });
    log.note('a');
    await log.flush();
    log.note('a');
    await log.flush();
    expect(write).toHaveBeenCalledTimes(2);
  });
});
