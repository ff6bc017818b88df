import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { i18n } from '../language/i18n.ts';
import { describeAge, describeBytes, describeDuration } from './durations.ts';

afterEach(() => {
  i18n.activate('en');
  jest.restoreAllMocks();
});

function speak(language: string): void {
  jest.spyOn(navigator, 'languages', 'get').mockReturnValue([language]);
  i18n.loadAndActivate({ locale: language.slice(0, 2), messages: {} });
}

describe('numbers for people', () => {
  it.each([
    ['en-US', '1.50 s', '12.3 s', '2.0 KiB', '1.5 MiB', 'Jan 5, 2026'],
    ['de-DE', '1,50 s', '12,3 s', '2,0 KiB', '1,5 MiB', '05.01.2026'],
  ])('are written as in %s', (language, short, long, kib, mib, date) => {
    speak(language);
    expect(describeDuration(1_500)).toBe(short);
    expect(describeDuration(12_300)).toBe(long);
    expect([describeBytes(2_048), describeBytes(1_572_864)]).toEqual([kib, mib]);
    expect(describeAge(30 * 86_400_000, new Date('2026-01-05T12:00:00Z'))).toBe(date);
  });
});
