import { INTL_OPTIONS } from './intl-options.ts';

/**
 * The code that replaces the methods of the engine which ignore languages and time zones, and adds `Intl`, which the
 * engine does not have. It is part of every script, so it only calls `load` when one of them is used. `load()` returns
 * the table of the methods of `INTL_GUEST`.
 */
export const INTL_STUBS = `(function (load) {
  'use strict';
  const { apply } = Reflect;
  const { defineProperty } = Object;
  let table;
  const loaded = () => {
    if (table) return table;
    const given = load();
    if (!given) throw new RangeError(given === null ? 'out of memory' : 'Maximum call stack size exceeded');
    return (table = given);
  };
  const replace = (owner, key, name) => {
    const { [name]: value } = { [name](...args) { return apply(loaded()[key], this, args); } };
    defineProperty(owner, name, { value, writable: true, configurable: true });
  };
  const set = (value) => defineProperty(globalThis, 'Intl', { value, writable: true, configurable: true });
  defineProperty(globalThis, 'Intl', { get: () => loaded().Intl, set, configurable: true });
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) replace(Date.prototype, name, name);
  for (const name of ['localeCompare', 'toLocaleUpperCase', 'toLocaleLowerCase']) replace(String.prototype, name, name);
  replace(Number.prototype, 'number', 'toLocaleString');
  replace(BigInt.prototype, 'bigint', 'toLocaleString');
  replace(Array.prototype, 'list', 'toLocaleString');
  replace(Object.getPrototypeOf(Uint8Array.prototype), 'list', 'toLocaleString');
})`;

/**
 * The methods of dates, numbers, texts and lists that use languages and time zones, and `Intl`. `ask` and `compare` are
 * those of intl-host.ts.
 */
export const INTL_GUEST = `(function (ask, compare) {
  'use strict';
  const OPTIONS = ${JSON.stringify(INTL_OPTIONS)};
  const { parse, stringify } = JSON;
  const { now } = Date;
  const numberValue = Number.prototype.valueOf;
  const bigintValue = BigInt.prototype.valueOf;
  const timeValue = Date.prototype.getTime;

  const valueOf = (response) => {
    if (typeof response !== 'string') {
      throw new RangeError(response === null ? 'out of memory' : 'Maximum call stack size exceeded');
    }
    const { value, error, isRange } = parse(response);
    if (error !== undefined) throw new (isRange ? RangeError : TypeError)(error);
    return value;
  };
  const call = (settings, method, ...args) => valueOf(ask(settings, method, stringify(args)));

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const localesOf = (locales) => {
    if (locales === undefined) return [];
    if (typeof locales === 'string') return [locales];
    if (locales === null) throw new TypeError('null is not a list of languages');
    const list = [];
    for (let i = 0; i < locales.length; i += 1) {
      if (!(i in locales)) continue;
      if (typeof locales[i] !== 'string' && !isObject(locales[i])) throw new TypeError('a language is a text');
      list.push(String(locales[i]));
    }
    return list;
  };
  const CONVERT = {
    text: (value) => String(value),
    number: (value) => (Number.isFinite(+value) ? +value : String(+value)),
    boolean: (value) => Boolean(value),
    grouping: (value) => (value === true ? true : value ? String(value) : false),
  };
  const optionsOf = (type, options) => {
    const given = {};
    if (options === undefined) return given;
    if (options === null) throw new TypeError('null is not an object of options');
    for (const name in OPTIONS[type]) {
      const value = options[name];
      if (value !== undefined) given[name] = CONVERT[OPTIONS[type][name]](value);
    }
    return given;
  };
  const settingsOf = (type, locales, options, kind = type) =>
    stringify([kind, localesOf(locales), optionsOf(type, options)]);

  const numeral = (value) => (typeof value === 'bigint' ? value + 'n' : Object.is(value, -0) ? '-0' : String(value));
  const primitiveOf = (value) => {
    if (!isObject(value)) return value;
    const convert = value[Symbol.toPrimitive];
    if (convert !== undefined && convert !== null) return convert.call(value, 'number');
    const primitive = value.valueOf();
    return isObject(primitive) ? value.toString() : primitive;
  };
  // Texts keep all of their digits, which a number does not have.
  const exact = (value) => {
    const primitive = primitiveOf(value);
    if (typeof primitive !== 'string') return numeral(typeof primitive === 'bigint' ? primitive : +primitive);
    const text = primitive.trim();
    if (/^[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?$/i.test(text)) return Number.isFinite(+text) ? text : numeral(+text);
    return /^0[xob]/i.test(text) && !Number.isNaN(+text) ? String(BigInt(text)) : numeral(+text);
  };
  const number = (value) => numeral(+value);
  const time = (date) => (date === undefined ? now() : +date);
  const range = (convert) => (from, to) => {
    if (from === undefined || to === undefined) throw new TypeError('a range has a start and an end');
    return [convert(from), convert(to)];
  };
  const members = (list) => {
    const found = [];
    for (const member of list ?? []) {
      if (typeof member !== 'string') throw new TypeError('the members of the list are texts');
      found.push(member);
    }
    return [found];
  };
  const one = (convert) => (value) => [convert(value)];
  const relative = (value, unit) => [number(value), String(unit)];

  // The arguments of the methods. Those that are bound may be passed on: list.sort(new Intl.Collator('de').compare).
  const CLASSES = {
    DateTimeFormat: {
      bound: { format: one(time) },
      methods: { formatToParts: one(time), formatRange: range(time), formatRangeToParts: range(time) },
    },
    NumberFormat: {
      bound: { format: one(exact) },
      methods: { formatToParts: one(exact), formatRange: range(exact), formatRangeToParts: range(exact) },
    },
    Collator: { bound: { compare: (a, b) => [String(a), String(b)] }, methods: {} },
    PluralRules: { needsNew: true, methods: { select: one(number) } },
    RelativeTimeFormat: { needsNew: true, methods: { format: relative, formatToParts: relative } },
    ListFormat: { needsNew: true, methods: { format: members, formatToParts: members } },
    DisplayNames: { needsNew: true, methods: { of: one(String) } },
    Segmenter: { needsNew: true, methods: {} },
  };
  const order = (settings, a, b) => {
    const response = compare(settings, a, b);
    return typeof response === 'number' ? response : valueOf(response);
  };
  const define = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });

  const classOf = (type, { needsNew = false, bound = {}, methods }) => {
    const all = new WeakMap();
    const stateOf = (format) => {
      const state = all.get(format);
      if (state === undefined) throw new TypeError('this is not an Intl.' + type);
      return state;
    };
    const Class = function (locales, options) {
      if (needsNew && new.target === undefined) throw new TypeError('Intl.' + type + ' needs new');
      // The newer classes take objects only.
      if (/List|Display|Segment/.test(type) && options !== undefined && !isObject(options)) {
        throw new TypeError('the options are not an object');
      }
      const self = new.target === undefined ? Object.create(Class.prototype) : this;
      const settings = settingsOf(type, locales, options);
      call(settings, 'resolvedOptions');
      all.set(self, { settings, functions: {} });
      return self;
    };
    Object.defineProperty(Class, 'name', { value: type });
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: 'Intl.' + type, configurable: true });
    define(Class, 'supportedLocalesOf', (locales, options) =>
      call(settingsOf(type, locales, { localeMatcher: options?.localeMatcher }, 'Intl'), 'supportedLocalesOf', type));
    for (const [name, argsOf] of Object.entries({ ...methods, resolvedOptions: () => [] })) {
      define(Class.prototype, name, function (...args) {
        const { settings } = stateOf(this);
        return call(settings, name, ...argsOf(...args));
      });
    }
    for (const [name, argsOf] of Object.entries(bound)) {
      const get = function () {
        const { settings, functions } = stateOf(this);
        const send = name === 'compare' ? (args) => order(settings, ...args) : (args) => call(settings, name, ...args);
        return (functions[name] ??= (...args) => send(argsOf(...args)));
      };
      Object.defineProperty(Class.prototype, name, { get, configurable: true });
    }
    if (type === 'Segmenter') {
      define(Class.prototype, 'segment', function (text) {
        return segmentsOf(stateOf(this).settings, String(text));
      });
    }
    return Class;
  };

  const segmentsOf = (settings, input) => {
    const { ends, words } = call(settings, 'segment', input);
    const at = (i) => {
      const index = i === 0 ? 0 : ends[i - 1];
      const segment = { segment: input.slice(index, ends[i]), index, input };
      return words === null ? segment : { ...segment, isWordLike: words[i] === '1' };
    };
    return {
      containing(index = 0) {
        const position = Math.trunc(+index) || 0;
        const i = position < 0 ? -1 : ends.findIndex((end) => position < end);
        return i < 0 ? undefined : at(i);
      },
      *[Symbol.iterator]() {
        for (let i = 0; i < ends.length; i += 1) yield at(i);
      },
    };
  };

  const Intl = {};
  Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
  for (const type of Object.keys(CLASSES)) define(Intl, type, classOf(type, CLASSES[type]));
  for (const name of ['DurationFormat', 'Locale']) {
    define(Intl, name, function () {
      throw new TypeError('Intl.' + name + ' is not available in scripts');
    });
  }
  define(Intl, 'getCanonicalLocales', (locales) => call(settingsOf('', locales, undefined, 'Intl'), 'getCanonicalLocales'));
  define(Intl, 'supportedValuesOf', (key) => call('["Intl",[],{}]', 'supportedValuesOf', String(key)));

  const show = (kind) =>
    function (locales, options) {
      const at = timeValue.call(this);
      return Number.isNaN(at) ? 'Invalid Date' : call(settingsOf('DateTimeFormat', locales, options, kind), 'format', at);
    };
  const showNumber = (value) =>
    function (locales, options) {
      const text = numeral(value.call(this));
      return call(settingsOf('NumberFormat', locales, options), 'format', text);
    };
  const textOf = (value) => {
    if (value === undefined || value === null) throw new TypeError(String(value) + ' is not a text');
    return String(value);
  };
  const changeCase = (name) =>
    function (locales) {
      const text = textOf(this);
      return call(settingsOf('', locales, undefined, 'String'), name, text);
    };
  return {
    Intl,
    toLocaleString: show('toLocaleString'),
    toLocaleDateString: show('toLocaleDateString'),
    toLocaleTimeString: show('toLocaleTimeString'),
    number: showNumber(numberValue),
    bigint: showNumber(bigintValue),
    toLocaleUpperCase: changeCase('toLocaleUpperCase'),
    toLocaleLowerCase: changeCase('toLocaleLowerCase'),
    localeCompare(other, locales, options) {
      const text = textOf(this);
      return order(settingsOf('Collator', locales, options), text, String(other));
    },
    list(locales, options) {
      const show = (element) => String(element?.toLocaleString(locales, options) ?? '');
      return Array.from(this, show).join(',');
    },
  };
})`;
