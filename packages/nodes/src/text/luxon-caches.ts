import { Settings } from 'luxon';

const MAX_KEYS = 256;

const seen = new Set<string>();

/**
 * Keeps the caches of luxon small: it keeps formatters for every spelling of a zone or locale, and never drops any.
 * @param key what luxon is about to make formatters for.
 */
export function boundLuxonCaches(key: string): void {
  if (seen.size >= MAX_KEYS && !seen.has(key)) {
    seen.clear();
    Settings.resetCaches();
  }
  seen.add(key);
}
