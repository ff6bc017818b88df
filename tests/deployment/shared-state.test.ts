import { describe, expect, it } from '@jest/globals';
import { findChanges, readSharedState } from '../runner/shared-state.ts';

describe('what a test file leaves changed for the next one', () => {
  it.each<[string, object, string, PropertyDescriptor]>([
    ['globalThis.parseFloat', globalThis, 'parseFloat', { value: () => 1 }],
    ['Date.prototype.getTime', Date.prototype, 'getTime', { value: () => 1 }],
    ['globalThis.crypto', globalThis, 'crypto', { get: () => 1 }],
    ['globalThis.performance', globalThis, 'performance', { value: 1 }],
    ['process.env.PATH', process.env, 'PATH', { value: '/none', writable: true, enumerable: true }],
  ])('is found: %s', (name, owner, member, descriptor) => {
    const before = readSharedState();
    const own = Object.getOwnPropertyDescriptor(owner, member) ?? {};
    Object.defineProperty(owner, member, { configurable: true, ...descriptor });
    const changes = findChanges(before);
    Object.defineProperty(owner, member, own);
    expect(changes).toEqual([name]);
    expect(findChanges(before)).toEqual([]);
  });
});
