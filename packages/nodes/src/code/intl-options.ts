/** How an option is converted before it is sent to the host: as the standard does. */
type Kind = 'text' | 'number' | 'boolean' | 'grouping';

/** The classes of `Intl` that scripts have, with the options that each reads. Others are ignored, as in a browser. */
export const INTL_OPTIONS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  DateTimeFormat: {
    ...texts('localeMatcher calendar numberingSystem hourCycle timeZone weekday era year month day dayPeriod hour'),
    ...texts('minute second timeZoneName formatMatcher dateStyle timeStyle'),
    hour12: 'boolean',
    fractionalSecondDigits: 'number',
  },
  NumberFormat: {
    ...texts('localeMatcher numberingSystem style currency currencyDisplay currencySign unit unitDisplay notation'),
    ...texts('compactDisplay signDisplay'),
    ...digits(),
    useGrouping: 'grouping',
  },
  Collator: {
    ...texts('localeMatcher usage collation caseFirst sensitivity'),
    numeric: 'boolean',
    ignorePunctuation: 'boolean',
  },
  PluralRules: { ...texts('localeMatcher type'), ...digits() },
  RelativeTimeFormat: texts('localeMatcher numberingSystem style numeric'),
  ListFormat: texts('localeMatcher type style'),
  DisplayNames: texts('localeMatcher style type fallback languageDisplay'),
  Segmenter: texts('localeMatcher granularity'),
};

function texts(names: string): Record<string, Kind> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'text']));
}

function digits(): Record<string, Kind> {
  const numbers =
    'minimumIntegerDigits minimumFractionDigits maximumFractionDigits minimumSignificantDigits maximumSignificantDigits roundingIncrement';
  return {
    ...Object.fromEntries(numbers.split(' ').map((name) => [name, 'number' as const])),
    ...texts('roundingMode roundingPriority trailingZeroDisplay'),
  };
}
