import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';

/**
 * Translates the texts of the console: `i18n.t('Delete {name}', { name })`. Messages are in English and in the syntax
 * of ICU; the catalogue of another language has them as keys. English needs no catalogue.
 */
export const i18n = setupI18n({ locale: 'en', messages: { en: {} } });

const compiled = new Map<string, ReturnType<typeof compileMessage>>();

// Compiling takes longer than most renders can wait, and the same messages are used again and again.
i18n.setMessagesCompiler((message) => {
  const known = compiled.get(message) ?? compileMessage(message);
  compiled.set(message, known);
  return known;
});

/** Writes a label as in the middle of a sentence: in English in lower case, unlike German nouns. */
export function inSentence(label: string): string {
  return i18n.locale === 'en' ? label.toLowerCase() : label;
}

/** Returns the locale of dates and times: the browser's variant of the language, such as `en-US`. */
export function dateLocale(): string {
  const variant = navigator.languages.find((tag) => tag.split('-')[0] === i18n.locale);
  return variant ?? (i18n.locale === 'en' ? 'en-GB' : i18n.locale);
}

/** Writes a number as the language does. @param decimals the most and the fewest places */
export function formatNumber(value: number, { atMost = 0, atLeast = 0 } = {}): string {
  const key = `${dateLocale()} ${atMost} ${atLeast}`;
  const format =
    numberFormats.get(key) ??
    new Intl.NumberFormat(dateLocale(), { maximumFractionDigits: atMost, minimumFractionDigits: atLeast });
  numberFormats.set(key, format);
  return format.format(value);
}

// Creating one takes longer than most renders can wait.
const numberFormats = new Map<string, Intl.NumberFormat>();
