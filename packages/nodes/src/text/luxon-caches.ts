import { Settings } from 'luxon';

const MAX_KEYS = 256;

const seen = new Set<string>();

/**
 * Keeps the caches of luxon small: it caches formatters for every spelling of a zone or locale, and never drops any.
 * @param key the formatter that luxon is about to create.
 */
export function boundLuxonCaches(key: string): void {
  if (seen.size >= MAX_KEYS && !seen.has(key)) {
    seen.clear();
    Settings.resetCaches();
  }
  seen.add(key);
}
