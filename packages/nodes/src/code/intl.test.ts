import { afterAll, describe, expect, it } from '@jest/globals';
import { script } from '../../../../tests/harness/scripts.ts';
import { createScriptRunner } from './runner.ts';

const runner = createScriptRunner({ threads: 1 });
afterAll(() => runner.close());

const run = async (source: string) => {
  const result = await runner.run(script(source, { timeoutMs: 5_000 }));
  return result.kind === 'output' ? result.output : result.failure.message;
};

describe('a script formats and compares as the host does', () => {
  it.each<[string, unknown]>([
    [
      `new Date('2026-01-15T23:30:00Z').toLocaleString('en-US', { timeZone: 'America/New_York' })`,
      '1/15/2026, 6:30:00 PM',
    ],
    [`new Date('2026-01-15T23:30:00Z').toLocaleDateString('de-DE', { timeZone: 'Asia/Tokyo' })`, '16.1.2026'],
    [
      `new Date('2026-01-15T23:30:00Z').toLocaleTimeString('de', { timeZone: 'Europe/Berlin', timeStyle: 'short' })`,
      '00:30',
    ],
    [
      `new Date('2026-01-15T23:30:00Z').toLocaleDateString('fr', { weekday: 'long', month: 'long', day: 'numeric' })`,
      'jeudi 15 janvier',
    ],
    [`new Date(NaN).toLocaleString('de')`, 'Invalid Date'],
    [`Intl.DateTimeFormat('de', { dateStyle: 'full' }).format(new Date(0))`, 'Donnerstag, 1. Januar 1970'],
    [
      `new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', hour: '2-digit', hourCycle: 'h23' }).formatToParts(0)`,
      [{ type: 'hour', value: '01' }],
    ],
    [`(1234567.5).toLocaleString('de-DE', { minimumFractionDigits: 2 })`, '1.234.567,50'],
    [`(0.5).toLocaleString('en', { style: 'percent' })`, '50%'],
    [`12345678901234567890n.toLocaleString('en')`, '12,345,678,901,234,567,890'],
    [`[NaN, -0, Infinity, 1e21].toLocaleString('en')`, 'NaN,-0,∞,1,000,000,000,000,000,000,000'],
    [`new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' }).format(1234.5)`, '1.234,50\u00A0€'],
    [`['z', 'ä', 'a', 'Z'].sort((a, b) => a.localeCompare(b, 'de')).join('')`, 'aäzZ'],
    [`['z', 'ä', 'a', 'Z'].sort(new Intl.Collator('sv').compare).join('')`, 'azZä'],
    [`['item 10', 'item 9'].sort(Intl.Collator('en', { numeric: true }).compare)`, ['item 9', 'item 10']],
    [`['a', 'B'].sort((a, b) => a.localeCompare(b)).join('')`, 'aB'],
    [`'i'.toLocaleUpperCase('tr')`, 'İ'],
    [`new Intl.PluralRules('en', { type: 'ordinal' }).select(2)`, 'two'],
    [`new Intl.RelativeTimeFormat('de', { numeric: 'auto' }).format(-1, 'day')`, 'gestern'],
    [`new Intl.NumberFormat('de') instanceof Intl.NumberFormat`, true],
  ])('%s', async (source, expected) => {
    expect(await run(`return ${source}`)).toEqual(expected);
  });

  it('in English and UTC unless it names others, on any machine', async () => {
    const source = `const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      return [locale, timeZone, new Date(0).toLocaleString(), (1e6).toLocaleString(), new Intl.NumberFormat('xx').resolvedOptions().locale]`;
    expect(await run(source)).toEqual(['en-US', 'UTC', '1/1/1970, 12:00:00 AM', '1,000,000', 'en-US']);
  });
});

describe('a script that asks for what there is not', () => {
  it.each([
    [`new Date().toLocaleString('en', { timeZone: 'Mars/Base' })`, /^RangeError: .*Mars\/Base/],
    [`(1).toLocaleString('not a locale')`, /^RangeError: /],
    [`(1).toLocaleString('en', { minimumFractionDigits: 1000 })`, /^RangeError: /],
    [`(1).toLocaleString('en', { style: { a: 1 } })`, /^RangeError: /],
    [`new Intl.DateTimeFormat('en').format('x')`, /^RangeError: /],
    [`(10n ** 1000n).toLocaleString('en')`, /^RangeError: the number has too many digits/],
    [`'a'.localeCompare('b'.repeat(1_000_000))`, /^RangeError: the texts have more than 1000000 characters/],
    [`new Intl.Locale("en")`, /^TypeError: Intl.Locale is not available in scripts/],
    [`new Intl.DurationFormat('en')`, /^TypeError: Intl.DurationFormat is not available in scripts/],
    [
      `for (let i = 0; ; i += 1) new Intl.NumberFormat('en', { minimumIntegerDigits: 1 + (i % 21), maximumFractionDigits: i / 21 | 0 })`,
      /^RangeError: a script may use 500 different combinations/,
    ],
  ])('fails: %s', async (source, message) => {
    expect(await run(source.startsWith('for') ? source : `return ${source}`)).toMatch(message);
  });

  it('changes nothing for other scripts', async () => {
    const hostile = `JSON.stringify = () => '["String",null,{}]'; return 'a'.localeCompare('b', 'de')`;
    await run(hostile);
    expect(await run(`return 'a'.toLocaleUpperCase()`)).toBe('A');
  });

  it('reaches nothing else of the host', async () => {
    const source = `const stringify = JSON.stringify;
      const seen = [];
      for (const type of ['constructor', '__proto__', 'Function']) {
        JSON.stringify = () => stringify([type, [], {}]);
        try { seen.push((1).toLocaleString('en')); } catch (error) { seen.push(String(error)); }
      }
      JSON.stringify = stringify;
      return seen;`;
    // The first call loads the code, which keeps the function that it finds.
    const error = 'TypeError: constructor is not available in scripts';
    expect(await run(source)).toEqual([error, error, error]);
  });

  it('sees no stack of the host when its memory is used up', async () => {
    const source = `const all = [];
      try { for (let size = 1e6; size > 8; size = Math.max(8, size / 2)) all.push(new Uint8Array(size).fill(1)); } catch {}
      let stack = 'none';
      try { for (;;) { all.push((1).toLocaleString('de') + all.length); all.push(new Uint8Array(50_000)); } } catch (error) { stack = error; }
      all.length = 0;
      return stack === null ? 'null' : stack + String(stack.stack);`;
    const result = await runner.run(script(source, { memoryBytes: 2 * 1_048_576 }));
    expect(JSON.stringify(result)).toMatch(/out of memory|null/);
    expect(JSON.stringify(result)).not.toMatch(/file:|node_modules|\.ts|\.js/);
  });

  it('sees no error of the host when its stack is used up, and goes on', async () => {
    const source = `const [errors, stacks] = [new Set(), new Set()];
      const nest = () => {
        try { nest(); } catch {}
        try { (1).toLocaleString('de'); } catch (error) { errors.add(String(error)); stacks.add(String(error.stack)); }
      };
      nest();
      return [[...errors], (1.5).toLocaleString('de'), [...stacks].join()];`;
    const output = await run(source);
    const stacks: unknown = expect.not.stringMatching(/file:|node_modules|\.ts|\.js/);
    expect(output).toEqual([['RangeError: Maximum call stack size exceeded'], '1,5', stacks]);
  });

  it('finds the methods by whatever name, keeps what it replaced, and has its own Intl if it wants', async () => {
    const source = `const before = 'i'['toLocale' + 'UpperCase']('tr');
      String.prototype.localeCompare = () => 7;
      const mine = 'a'.localeCompare('b');
      const offered = globalThis['In' + 'tl'].NumberFormat.name;
      Intl = { mine: true };
      return [before, mine, 'a'.localeCompare('b'), offered, Intl];`;
    expect(await run(source)).toEqual(['İ', 7, 7, 'NumberFormat', { mine: true }]);
  });

  it('is stopped when its time is up, and many calls fit into its time and memory', async () => {
    const endless = await runner.run(script(`for (;;) 'a'.localeCompare('b')`, { timeoutMs: 200 }));
    expect(endless).toMatchObject({ kind: 'failure', failure: { code: 'NODE_TIMEOUT' } });
    const source = `const names = Array.from({ length: 2_000 }, (_, i) => 'Ä'.repeat(50) + (i * 7919) % 2_000);
      names.sort((a, b) => a.localeCompare(b, 'de', { numeric: true }));
      let length = 0;
      for (let i = 0; i < 4_000; i += 1) length += (i * 1e15).toLocaleString('de', { minimumFractionDigits: 80 }).length;
      return [names[0].slice(50), names[1_999].slice(50), length > 3e5]`;
    const many = await runner.run(script(source, { timeoutMs: 60_000, memoryBytes: 8 * 1_048_576 }));
    expect(many).toMatchObject({ kind: 'output', output: ['0', '1999', true] });
  }, 90_000);
});
