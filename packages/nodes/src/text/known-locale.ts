/** Returns true for a language that the runtime knows. It would use that of the machine instead of another one. */
export function isKnownLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
}
