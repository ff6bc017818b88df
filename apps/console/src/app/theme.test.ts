import { DEFAULT_THEME } from '@mantine/core';
import { expect, it } from '@jest/globals';
import { cssVariables } from './theme.ts';

/** Returns the contrast of two colours by WCAG 2. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\da-f]{2}/gi) ?? []).map((part) => {
    const value = Number.parseInt(part, 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each(['light', 'dark'] as const)('texts, hints and defaults can be read in the %s scheme', (scheme) => {
  const colors: Readonly<Record<string, string>> = { ...cssVariables(DEFAULT_THEME)[scheme] };
  const names = ['--mantine-color-dimmed', '--mantine-color-placeholder', '--mantine-color-error'];
  const tooPale = names.filter((name) => contrast(colors[name] ?? '', colors['--surface'] ?? '') < 4.5);
  expect(tooPale).toEqual([]);
});
