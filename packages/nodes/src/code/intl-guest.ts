/** What a script has to contain to use languages or time zones. Others need no set-up. */
export const USES_INTL = /Intl|toLocale|localeCompare/;

/**
 * The code that gives the sandbox `Intl`, and methods such as `toLocaleString`: its engine has the methods, which ignore
 * languages and time zones, and no `Intl`. `ask` and `compare` are those of intl-host.ts.
 */
export const INTL_GUEST = `(function (ask, compare) {
  'use strict';
  const { parse, stringify } = JSON;
  const valueOf = (answer) => {
    const { value, error, isRange } = parse(answer);
    if (error !== undefined) throw new (isRange ? RangeError : TypeError)(error);
    return value;
  };
  const call = (type, { locales, options }, method, args) =>
    valueOf(ask(stringify([type, locales ?? null, options ?? null, method, args])));
  const order = (settings, a, b) => {
    const answer = compare(settings, a, b);
    return typeof answer === 'number' ? answer : valueOf(answer);
  };
  const settingsOf = (locales, options) =>
    locales === undefined && options === undefined ? '[]' : stringify([locales ?? null, options ?? null]);
  const time = (date) => (date === undefined ? Date.now() : Number(date));
  const number = (value) =>
    typeof value === 'bigint' ? String(value) : Object.is(Number(value), -0) ? '-0' : String(Number(value));
  const METHODS = {
    DateTimeFormat: {
      format: (date) => [time(date)],
      formatToParts: (date) => [time(date)],
      formatRange: (from, to) => [time(from), time(to)],
    },
    NumberFormat: { format: (value) => [number(value)], formatToParts: (value) => [number(value)] },
    Collator: {},
    PluralRules: { select: (value) => [number(value)] },
    RelativeTimeFormat: { format: (value, unit) => [number(value), String(unit)] },
  };
  const define = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });

  const classOf = (type) => {
    const settings = new WeakMap();
    const Format = function (locales, options) {
      const self = new.target ? this : Object.create(Format.prototype);
      const given = parse(stringify({ locales, options }));
      call(type, given, 'resolvedOptions', []);
      settings.set(self, { ...given, text: settingsOf(given.locales, given.options) });
      return self;
    };
    for (const [name, argsOf] of Object.entries({ ...METHODS[type], resolvedOptions: () => [] })) {
      // A getter, because these methods may be passed on: list.sort(new Intl.Collator('de').compare).
      Object.defineProperty(Format.prototype, name, {
        get() {
          const given = settings.get(this);
          return (...args) => call(type, given, name, argsOf(...args));
        },
        configurable: true,
      });
    }
    if (type === 'Collator') {
      Object.defineProperty(Format.prototype, 'compare', {
        get() {
          const { text } = settings.get(this);
          return (a, b) => order(text, String(a), String(b));
        },
        configurable: true,
      });
    }
    return Object.defineProperty(Format, 'name', { value: type });
  };
  define(globalThis, 'Intl', Object.fromEntries(Object.keys(METHODS).map((type) => [type, classOf(type)])));
  for (const name of ['DisplayNames', 'DurationFormat', 'ListFormat', 'Locale', 'Segmenter']) {
    define(Intl, name, function () {
      throw new TypeError('Intl.' + name + ' is not supported');
    });
  }

  const DATE = ['weekday', 'year', 'month', 'day'];
  const CLOCK = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
  const [DAY, HOURS] = [['year', 'month', 'day'], ['hour', 'minute', 'second']];
  const showDate = (name, needed, defaults) =>
    define(Date.prototype, name, function (locales, options = {}) {
      const at = this.getTime();
      if (Number.isNaN(at)) return 'Invalid Date';
      const isGiven = [...needed, 'dateStyle', 'timeStyle'].some((field) => options?.[field] !== undefined);
      const added = isGiven ? {} : Object.fromEntries(defaults.map((field) => [field, 'numeric']));
      return call('DateTimeFormat', { locales, options: { ...options, ...added } }, 'format', [at]);
    });
  showDate('toLocaleString', [...DATE, ...CLOCK], [...DAY, ...HOURS]);
  showDate('toLocaleDateString', DATE, DAY);
  showDate('toLocaleTimeString', CLOCK, HOURS);
  for (const type of [Number, BigInt]) {
    define(type.prototype, 'toLocaleString', function (locales, options) {
      return call('NumberFormat', { locales, options }, 'format', [number(this.valueOf())]);
    });
  }
  define(Array.prototype, 'toLocaleString', function (locales, options) {
    return this.map((element) => element?.toLocaleString(locales, options) ?? '').join(',');
  });
  define(String.prototype, 'localeCompare', function (other, locales, options) {
    return order(settingsOf(locales, options), String(this), String(other));
  });
  for (const name of ['toLocaleUpperCase', 'toLocaleLowerCase']) {
    define(String.prototype, name, function (locales) {
      return call('String', { locales }, name, [String(this)]);
    });
  }
})`;
