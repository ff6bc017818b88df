import type { JsonValue } from '@deckhand/contracts';
import type { NodeWarning } from '@deckhand/engine';

/** Returns true for a language that the runtime knows. It would use that of the machine instead of another one. */
export function isKnownLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
}

/** Warns of a literal parameter `locale` that names no language: the node fails. */
export function warnOfLocale(locale: JsonValue | undefined): NodeWarning[] {
  if (typeof locale !== 'string' || locale.includes('{{') || isKnownLocale(locale)) return [];
  return [{ code: 'LOCALE_UNKNOWN', path: 'locale', message: 'The node fails: this is not a known language.' }];
}
