import { describe, expect, it } from '@jest/globals';
import { isTime, isUuid, readTime, toExpiry } from './formats.ts';

describe('a time', () => {
  it.each([
    '2026-11-20T22:20:00Z',
    '2026-11-20t22:20:00.123+02:00',
    '2024-02-29T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('is %s', (text) => expect(isTime(text)).toBe(true));

  it.each([
    '2026-11-20',
    '2026-11-20T22:20:00',
    '2026-02-30T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-13-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:00',
    'tomorrow',
  ])('is not %s', (text) => expect(isTime(text)).toBe(false));
});

describe('a time of a request', () => {
  it.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T22:20', '2026-11-20T22:20:00.000Z'],
    ['2026-11-20T22:20Z', '2026-11-20T22:20:00.000Z'],
    ['2026-11-20T22:20:05', '2026-11-20T22:20:05.000Z'],
    ['2026-11-20T22:20:05.678912', '2026-11-20T22:20:05.678Z'],
    ['2026-11-20T22:20+02', '2026-11-20T20:20:00.000Z'],
    ['2026-11-20t22:20:05-02:30', '2026-11-21T00:50:05.000Z'],
  ])('%s is %s', (text, time) => expect(readTime(text)?.toISOString()).toBe(time));

  it.each(['2026-02-30', '2026-11-20T24:30', '2026-11-20T', '2026-11-20Z', '20261120', '2026-11', ''])(
    'is not "%s"',
    (text) => expect(readTime(text)).toBeUndefined(),
  );
});

describe('the time at which something expires', () => {
  it.each([
    ['2026-11-20', '2026-11-20T23:59:59.999Z'],
    ['9999-12-31', '9999-12-31T23:59:59.999Z'],
    ['2026-11-20T00:00', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20t22:20+02', '2026-11-20T20:20:00.000Z'],
  ])('%s is %s', (text, time) => expect(toExpiry(text).toISOString()).toBe(time));
});

describe('a UUID', () => {
  it('is hexadecimal in either case, without a URN around it', () => {
    expect(isUuid('019A0000-0000-7000-8000-00000000000f')).toBe(true);
    expect(isUuid('urn:uuid:019a0000-0000-7000-8000-00000000000f')).toBe(false);
    expect(isUuid('019a0000-0000-7000-8000-00000000000f\n')).toBe(false);
  });
});
