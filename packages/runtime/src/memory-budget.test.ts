import { describe, expect, it } from '@jest/globals';
import { createMemoryBudget } from './memory-budget.ts';

describe('a memory budget', () => {
  it('counts what its accounts hold until they are closed', () => {
    const budget = createMemoryBudget(100);
    const [a, b] = [budget.open({}), budget.open({})];
    a.set(30);
    b.set(40);
    a.set(10);
    expect(budget.usedBytes()).toBe(50);
    b.close();
    b.close();
    expect(budget.usedBytes()).toBe(10);
  });

  it('closes the account that holds the most when it is exceeded, be it another', () => {
    const revoked: string[] = [];
    const budget = createMemoryBudget(100);
    const open = (name: string) => budget.open({ onRevoked: () => void revoked.push(name) });
    const [large, small] = [open('large'), open('small')];
    large.set(90);
    small.set(20);
    expect(revoked).toEqual(['large']);
    expect([large.isRevoked(), small.isRevoked(), budget.usedBytes()]).toEqual([true, false, 20]);
    // Its owner has not heard of it yet.
    large.set(95);
    large.close();
    expect(budget.usedBytes()).toBe(20);
    small.set(101);
    expect([revoked, budget.usedBytes()]).toEqual([['large', 'small'], 0]);
  });

  it('closes one of the group that holds the most, though another group has a larger one', () => {
    const revoked: string[] = [];
    const budget = createMemoryBudget(100);
    for (const [group, bytes] of [
      ['many', 30],
      ['many', 25],
      ['one', 40],
      ['many', 10],
    ] as const) {
      budget.open({ group, onRevoked: () => void revoked.push(`${group} ${bytes}`) }).set(bytes);
    }
    expect(revoked).toEqual(['many 30']);
  });

  it('lets those wait that can, until a quarter of it is free', async () => {
    const budget = createMemoryBudget(100);
    const account = budget.open({});
    account.set(76);
    let isRoom = false;
    const waited = budget.untilRoom().then(() => (isRoom = true));
    await Promise.resolve();
    expect([budget.isTight(), isRoom]).toEqual([true, false]);
    account.set(75);
    await waited;
    expect(budget.isTight()).toBe(false);
  });
});
