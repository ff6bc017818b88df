import { describe, expect, it } from '@jest/globals';
import { createClaimWatch } from './claim-watch.js';

describe('the database', () => {
  it('counts as silent once no claim was answered for eight looks, and not any more with the next answer', async () => {
    const watch = createClaimWatch(() => false);
    const answers: (() => void)[] = [];
    const claim = () => watch.watch(() => new Promise<void>((resolve) => answers.push(resolve)));
    const claims = [claim(), claim()];
    for (let look = 0; look < 7; look += 1) watch.look();
    expect(watch.isAnswered()).toBe(true);
    watch.look();
    expect(watch.isAnswered()).toBe(false);
    answers[0]?.();
    await claims[0];
    expect(watch.isAnswered()).toBe(true);
    for (let look = 0; look < 8; look += 1) watch.look();
    expect(watch.isAnswered()).toBe(false);
    answers[1]?.();
    await claims[1];
    for (let look = 0; look < 20; look += 1) watch.look();
    expect(watch.isAnswered()).toBe(true);
  });

  it('counts as silent while it is away, also between two tries, but not after a refusal', async () => {
    const away = new Error('away');
    const watch = createClaimWatch((error) => error === away);
    const failWith = (error: Error) => watch.watch(() => Promise.reject(error)).catch(() => undefined);
    for (let look = 0; look < 8; look += 1) {
      await failWith(away);
      expect(watch.isAnswered()).toBe(true);
      watch.look();
    }
    expect(watch.isAnswered()).toBe(false);
    await failWith(new Error('refused'));
    expect(watch.isAnswered()).toBe(true);
  });
});
