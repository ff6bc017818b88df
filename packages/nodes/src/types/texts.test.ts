import type { JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Settings } from 'luxon';
import type { NodeContext, NodeType } from '@deckhand/engine';
import { createHmac } from 'node:crypto';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import csv from './csv.ts';
import dates from './dates.ts';
import hash from './hash.ts';
import hmac from './hmac.ts';
import xml from './xml.ts';

async function run(node: NodeType, parameters: JsonValue, context: Partial<NodeContext> = {}): Promise<unknown> {
  const outcome = await node.run(parameters, nodeContext(context));
  if (outcome.kind !== 'output') throw new Error('the node answers an output');
  return outcome.output;
}

describe('hash', () => {
  it.each([
    ['sha256', 'hex', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['md5', 'hex', '900150983cd24fb0d6963f7d28e17f72'],
    ['sha1', 'base64', 'qZk+NkcGgWq6PiVxeFDCbJzQ2J0='],
    ['sha1', 'base64url', 'qZk-NkcGgWq6PiVxeFDCbJzQ2J0'],
  ])('%s as %s of "abc" is %s', async (algorithm, encoding, expected) => {
    expect(await run(hash, { data: 'abc', algorithm, encoding })).toEqual({ hash: expected });
    expect(await run(hash, { data: 'YWJj', dataEncoding: 'base64', algorithm, encoding })).toEqual({ hash: expected });
  });
});

describe('hmac', () => {
  const token = 'a-secret-of-the-provider';
  const context = { credential: () => Promise.resolve({ type: 'bearer' as const, secret: { token } }) };
  const signature = `sha256=${createHmac('sha256', token).update('grüße').digest('hex')}`;
  const verify = (more: object) =>
    run(hmac, { operation: 'verify', data: 'grüße', signature, prefix: 'sha256=', ...more }, context);

  it('signs what it verifies', async () => {
    expect(await run(hmac, { operation: 'sign', data: 'grüße', prefix: 'sha256=' }, context)).toEqual({ signature });
    expect(await verify({})).toEqual({ valid: true });
  });

  it.each([
    [{ data: 'grüsse' }],
    [{ signature: '' }],
    [{ signature: signature.slice(0, -1) }],
    [{ signature: `${signature}0` }],
    [{ signature: signature.replace('sha256=', '') }],
    [{ algorithm: 'sha1' }],
  ])('does not take %j', async (more) => {
    await expect(verify(more)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID', isRetryable: false });
    expect(await verify({ ...more, acceptInvalid: true })).toEqual({ valid: false });
  });

  it('verifies with either of two tokens, and signs with the first one', async () => {
    const secret = { token: 'a token before', nextToken: token };
    const both = { credential: () => Promise.resolve({ type: 'bearer' as const, secret }) };
    const parameters = { data: 'grüße', prefix: 'sha256=' };
    expect(await run(hmac, { ...parameters, operation: 'verify', signature }, both)).toEqual({ valid: true });
    expect(await run(hmac, { ...parameters, operation: 'sign' }, both)).not.toEqual({ signature });
  });

  it('needs a credential that is one secret', async () => {
    const none = run(hmac, { operation: 'sign', data: 'a' });
    await expect(none).rejects.toMatchObject({ code: 'CREDENTIAL_UNSUITABLE' });
    expect(hmac.check?.({ operation: 'verify' })).toMatchObject([{ path: 'signature' }]);
  });
});

describe('dates', () => {
  const berlin = { timezone: 'Europe/Berlin' };
  it.each<[object, object]>([
    // The night in which a day has 23 hours, and the one with 25.
    [{ operation: 'add', date: '2026-03-28T12:00:00+01:00', amount: 1 }, { iso: '2026-03-29T12:00:00.000+02:00' }],
    [
      { operation: 'add', date: '2026-03-28T12:00:00+01:00', amount: 24, unit: 'hours' },
      { iso: '2026-03-29T13:00:00.000+02:00' },
    ],
    [{ operation: 'add', date: '2026-01-31', amount: 1, unit: 'months' }, { iso: '2026-02-28T00:00:00.000+01:00' }],
    [{ operation: 'subtract', date: '2026-10-25T12:00', amount: 1 }, { iso: '2026-10-24T12:00:00.000+02:00' }],
    [{ operation: 'startOf', date: '2026-11-21T10:00:00Z', unit: 'weeks' }, { iso: '2026-11-16T00:00:00.000+01:00' }],
    [{ operation: 'endOf', date: '2026-02-10', unit: 'months' }, { iso: '2026-02-28T23:59:59.999+01:00' }],
    [
      { operation: 'format', date: 0, format: 'cccc, d. LLLL yyyy HH:mm', locale: 'de' },
      { text: 'Donnerstag, 1. Januar 1970 01:00' },
    ],
    [
      { operation: 'parse', date: '21.11.2026 08:15', inputFormat: 'dd.MM.yyyy HH:mm' },
      { iso: '2026-11-21T08:15:00.000+01:00', milliseconds: Date.UTC(2026, 10, 21, 7, 15), zone: 'Europe/Berlin' },
    ],
    [
      { operation: 'difference', date: '2026-03-28T12:00', other: '2026-03-29T12:00', unit: 'hours' },
      { amount: 23, unit: 'hours' },
    ],
    [
      { operation: 'difference', date: '2026-03-28T12:00', other: '2026-03-29T12:00' },
      { amount: 1, unit: 'days' },
    ],
  ])('%j is %j', async (parameters, expected) => {
    expect(await run(dates, { ...berlin, ...parameters })).toMatchObject(expected);
  });

  const FIRST = '2026-10-25T02:30:00.000+02:00';
  it.each<[object, object]>([
    [{ operation: 'parse', date: '2026-10-25T02:30:00' }, { iso: FIRST }],
    [{ operation: 'parse', date: '2026-10-25 02:30' }, { iso: FIRST }],
    [{ operation: 'parse', date: '25.10.2026 02:30', inputFormat: 'dd.MM.yyyy HH:mm' }, { iso: FIRST }],
    [
      {
        operation: 'parse',
        date: '25.10.2026 02:30 Europe/Berlin',
        inputFormat: 'dd.MM.yyyy HH:mm z',
        timezone: 'UTC',
      },
      { iso: '2026-10-25T00:30:00.000Z' },
    ],
    // Texts with an offset, and numbers, say which of the two they are.
    [{ operation: 'parse', date: '2026-10-25T02:30:00+01:00' }, { iso: '2026-10-25T02:30:00.000+01:00' }],
    [{ operation: 'parse', date: '2026-10-25 02:30:00+01' }, { iso: '2026-10-25T02:30:00.000+01:00' }],
    [{ operation: 'parse', date: Date.UTC(2026, 9, 25, 1, 30) }, { iso: '2026-10-25T02:30:00.000+01:00' }],
    [{ operation: 'add', date: '2026-10-24T02:30', amount: 1 }, { iso: FIRST }],
    [{ operation: 'subtract', date: '2026-10-26T02:30', amount: 1 }, { iso: FIRST }],
    [{ operation: 'add', date: '2026-10-25T02:30+01:00', amount: 0 }, { iso: '2026-10-25T02:30:00.000+01:00' }],
    [
      { operation: 'add', date: '2026-10-25T02:30', amount: 1, unit: 'hours' },
      { iso: '2026-10-25T02:30:00.000+01:00' },
    ],
    [{ operation: 'startOf', date: '2026-10-25T02:30+01:00', unit: 'hours' }, { iso: '2026-10-25T02:00:00.000+01:00' }],
    [
      { operation: 'difference', date: '2026-10-25T02:30', other: '2026-10-25T03:30', unit: 'hours' },
      { amount: 2, unit: 'hours' },
    ],
    // It does not exist.
    [{ operation: 'parse', date: '2026-03-29T02:30' }, { iso: '2026-03-29T03:30:00.000+02:00' }],
  ])('%j is %j, whatever the season', async (parameters, expected) => {
    for (const now of ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']) {
      Settings.now = () => Date.parse(now);
      expect(await run(dates, { ...berlin, ...parameters })).toMatchObject(expected);
    }
    Settings.now = () => Date.now();
  });

  it.each([
    // Clocks are turned back from 01:00 to 00:00, which occurs twice.
    ['America/Havana', '2026-11-01T12:00', '2026-11-01T00:00:00.000-04:00', '2026-11-01T23:59:59.999-05:00'],
    ['America/Havana', '2026-10-31T12:00', '2026-10-31T00:00:00.000-04:00', '2026-10-31T23:59:59.999-04:00'],
    // Clocks are put forward from 00:00 to 01:00.
    ['America/Havana', '2026-03-08T12:00', '2026-03-08T01:00:00.000-04:00', '2026-03-08T23:59:59.999-04:00'],
    ['America/Havana', '2026-03-07T12:00', '2026-03-07T00:00:00.000-05:00', '2026-03-07T23:59:59.999-05:00'],
    ['Asia/Beirut', '2026-03-29T12:00', '2026-03-29T01:00:00.000+03:00', '2026-03-29T23:59:59.999+03:00'],
    // Clocks are turned back from 24:00 to 23:00.
    ['Africa/Cairo', '2026-10-29T12:00', '2026-10-29T00:00:00.000+03:00', '2026-10-29T23:59:59.999+02:00'],
    ['America/Santiago', '2026-04-04T12:00', '2026-04-04T00:00:00.000-03:00', '2026-04-04T23:59:59.999-04:00'],
    ['America/Santiago', '2026-09-06T12:00', '2026-09-06T01:00:00.000-03:00', '2026-09-06T23:59:59.999-03:00'],
  ])('a day in %s where clocks change at midnight, %s, is from %s to %s', async (timezone, date, start, end) => {
    expect(await run(dates, { operation: 'startOf', date, timezone })).toMatchObject({ iso: start });
    expect(await run(dates, { operation: 'endOf', date, timezone })).toMatchObject({ iso: end });
  });

  it.each([
    [{ operation: 'parse', date: '2026-03-29 02:30:00.123456' }, '2026-03-29T02:30:00.123Z'],
    [{ operation: 'parse', date: '2026-03-29T01:30:00.123456Z' }, '2026-03-29T01:30:00.123Z'],
    [{ operation: 'parse', date: '3 März 2026', inputFormat: 'd MMMM yyyy', locale: 'de' }, '2026-03-03T00:00:00.000Z'],
    [
      { operation: 'parse', date: 'mar. 3 févr. 2026', inputFormat: 'ccc d MMM yyyy', locale: 'fr' },
      '2026-02-03T00:00:00.000Z',
    ],
    [{ operation: 'parse', date: "3 o'clock", inputFormat: "h 'o''clock'" }, undefined],
  ])('%j is %j', async (parameters, iso) => {
    if (iso === undefined) await expect(run(dates, parameters)).rejects.toMatchObject({ code: 'PARAMETERS_INVALID' });
    else expect(await run(dates, parameters)).toMatchObject({ iso });
  });

  it.each([
    [{ operation: 'format', date: 0, format: 'YYYY-MM-dd' }, 'format has YYYY'],
    [{ operation: 'format', date: 0, format: 'dd.MM.yyyy Uhr' }, 'format has U'],
    [{ operation: 'format', date: 0, format: 'yyyyyyyyy' }, 'format has yyyyyyyyy'],
    [{ operation: 'format', date: 0, format: 'SS' }, 'format has SS'],
    [{ operation: 'parse', date: '2026-03-29', inputFormat: 'YYYY-MM-dd' }, 'inputFormat has YYYY'],
    [{ operation: 'parse', date: '1', inputFormat: 'X' }, 'inputFormat has X'],
    [{ operation: 'format', date: 0, format: 'cccc', locale: 'klingon' }, 'locale must'],
    [{ operation: 'format', date: 0, format: 'cccc', locale: 'de_DE.UTF-8' }, 'locale must'],
    [{ operation: 'parse', date: '1 May 2026', inputFormat: 'd MMMM yyyy', locale: 'de' }, 'date is not a date'],
  ])('%j is refused: parameters.%s', async (parameters, message) => {
    await expect(run(dates, parameters)).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: expect.stringContaining(`parameters.${message}`),
    });
  });

  it.each([
    [{ operation: 'parse', date: 'yesterday' }, 'date'],
    [{ operation: 'parse', date: '2026-02-30' }, 'date'],
    [{ operation: 'parse', date: '2026-01-01', timezone: 'Mars/Olympus' }, 'timezone'],
    [{ operation: 'add', date: 0, amount: 1e300 }, 'amount'],
    [{ operation: 'add', date: 0 }, 'amount'],
    [{ operation: 'format', date: 0 }, 'format'],
    [{ operation: 'difference', date: 0 }, 'other'],
  ])('%j is refused for its %s', async (parameters, field) => {
    const message = expect.stringContaining(`parameters.${field} `);
    await expect(run(dates, parameters)).rejects.toMatchObject({ code: 'PARAMETERS_INVALID', message });
  });

  it.each([
    ['uHuHuHuHuHuHuHuHuHuHuHuHuHuHuHuH', '1'.repeat(40), 'second fraction'],
    ['HhH', '1'.repeat(40), 'hour'],
    ['D t y', '1', 'year'],
    ["MM 'MM' LLLL", '01 MM January', 'month'],
  ])('never reads by the format %s, in which a field occurs twice', async (inputFormat, date, field) => {
    await expect(run(dates, { operation: 'parse', date, inputFormat })).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: `parameters.inputFormat names the ${field} twice`,
      isRetryable: false,
    });
  });

  it('takes quoted letters for text, and reads every field at once', async () => {
    const parsed = run(dates, { operation: 'parse', date: '1 d 2 2026', inputFormat: "d 'd' M y" });
    expect(await parsed).toMatchObject({ iso: '2026-02-01T00:00:00.000Z' });
    // The most ways in which digits can be shared out between fields of a varying width.
    const densest = run(dates, { operation: 'parse', date: `${'1'.repeat(24)}x`, inputFormat: 'ykMdoWHmsuqZ' });
    await expect(densest).rejects.toMatchObject({ code: 'PARAMETERS_INVALID' });
  });

  it('refuses a date of more than 1,000 characters', async () => {
    const long = run(dates, { operation: 'parse', date: '1'.repeat(1_001) });
    await expect(long).rejects.toMatchObject({ message: 'parameters.date must NOT have more than 1000 characters' });
  });

  it('says before it runs what is missing', () => {
    expect(dates.check?.({ operation: 'add' })).toMatchObject([{ path: 'amount' }]);
    expect(dates.check?.({ operation: 'parse', timezone: 'Mars' })).toMatchObject([{ path: 'timezone' }]);
    expect(dates.check?.({ operation: 'parse', timezone: '{{ $trigger.zone }}' })).toEqual([]);
  });
});

describe('csv', () => {
  const parse = (text: string, more: object = {}) => run(csv, { operation: 'parse', text, ...more });
  const textOf = (written: unknown): string => {
    if (typeof written !== 'object' || written === null || !('text' in written)) throw new Error('no text');
    return String(written.text);
  };
  const write = (items: JsonValue, more: object = {}) => run(csv, { operation: 'write', items, ...more });

  it('reads quotes, line ends, a byte order mark, and rows that are too short or too long', async () => {
    expect(await parse('\uFEFFa,b\r\n1,"x ""y""\nz"\r\n2\r\n3,4,5\r\n\r\n')).toEqual([
      { a: '1', b: 'x "y"\nz' },
      { a: '2', b: '' },
      { a: '3', b: '4' },
    ]);
    expect(await parse('1;2\n3;4', { delimiter: ';', hasHeader: false })).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(await parse('')).toEqual([]);
    expect(JSON.stringify(await parse('__proto__,constructor\n1,2'))).toBe('[{"__proto__":"1","constructor":"2"}]');
  });

  it('refuses what it cannot read', async () => {
    await expect(parse('a\n"b')).rejects.toMatchObject({ code: 'CSV_INVALID', isRetryable: false });
    await expect(parse('x'.repeat(5_000_001))).rejects.toMatchObject({ code: 'TEXT_TOO_LARGE' });
  });

  it('refuses a result that repeats a long header too often, before it is made', async () => {
    const header = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(1_000)}`).join(',');
    await expect(parse(`${header}\n${'1\n'.repeat(1_000)}`)).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
      isRetryable: false,
    });
    const long = 'x'.repeat(1_000_000);
    const written = write(Array.from({ length: 20 }, () => long));
    await expect(written).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE', isRetryable: false });
  });

  it('takes the last of columns of one name', async () => {
    expect(await parse('a,a,b\n1,2,3')).toEqual([{ a: '2', b: '3' }]);
    // A header of one name a million times is one name.
    expect(await parse(`${'a,'.repeat(1_000)}a\n${'1\n'.repeat(2_000)}`)).toHaveLength(2_000);
  });

  it('reads a long text in slices: values across their borders are whole, and it can be stopped', async () => {
    const long = 'x'.repeat(50_000);
    expect(await parse(`a,b\r\n"${long}""\r\n${long}",1\r\n`)).toEqual([{ a: `${long}"\r\n${long}`, b: '1' }]);
    await expect(parse(`a\n"${long}`)).rejects.toMatchObject({ code: 'CSV_INVALID', isRetryable: false });
    const abort = new AbortController();
    const running = run(csv, { operation: 'parse', text: 'a,b\n'.repeat(100_000) }, { signal: () => abort.signal });
    abort.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
  });

  it.each(['\n', '\r\n', '\r'])('reads rows whose lines end in another way than the first: %j', async (first) => {
    for (const others of ['\n', '\r\n', '\r']) {
      const text = `sku,stock${first}A,1${others}"B\r\n",2${first}C,3${others}`;
      expect(await parse(text)).toEqual([
        { sku: 'A', stock: '1' },
        { sku: 'B\r\n', stock: '2' },
        { sku: 'C', stock: '3' },
      ]);
    }
  });

  it('writes what it reads', async () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', '', ',', '"', '\n', '\r', '\uFEFF', ' ', '=') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.array(fc.tuple(cell)), fc.array(fc.tuple(cell, cell)), fc.array(fc.array(cell, { minLength: 1 }))),
        fc.constantFrom(',', ';', '\t', '||'),
        async (rows, delimiter) => {
          const written = await write(rows, { delimiter, hasHeader: false });
          expect(await parse(textOf(written), { delimiter, hasHeader: false })).toEqual(rows);
          const items = rows.map(([a = '', b]): Record<string, string> =>
            b === undefined ? { '\uFEFFa': a } : { a, b },
          );
          const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
          const all = items.map(() => Object.fromEntries(names.map((name) => [name, ''])));
          for (const [index, item] of items.entries()) Object.assign(all[index] ?? {}, item);
          expect(await parse(textOf(await write(items)))).toEqual(all);
        },
      ),
    );
  });

  it('writes the members of all items, in the order in which they appear', async () => {
    expect(
      await write([{ url: 'a' }, 'x', { url: 'b', discount: '50%' }, { __proto__: null, toString: 1, url: 'c' }]),
    ).toEqual({
      text: 'url,discount,toString\na,,\nx\nb,50%,\nc,,1\n',
    });
    expect(await write([['x'], { a: 1 }])).toEqual({ text: 'a\nx\n1\n' });
    const many = write(Array.from({ length: 5_000 }, (_, index) => ({ [`n${index}`]: 1 })));
    await expect(many).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE', isRetryable: false });
  });

  it('writes chosen columns, other values as JSON, and formulas as texts when asked', async () => {
    expect(await write([{ a: 1, b: { c: 2 }, d: null }], { columns: ['b', 'd', 'x', 'a'] })).toEqual({
      text: 'b,d,x,a\n"{""c"":2}",,,1\n',
    });
    const cells = ['=1+1', '-1', -1, '@a', '\r=1', '\n=1', 'a\n=1'];
    expect(await write([cells], { defuseFormulas: true })).toEqual({
      text: `'=1+1,'-1,-1,'@a,"'\r=1","'\n=1","a\n=1"\n`,
    });
    expect(await write([cells])).toEqual({ text: '=1+1,-1,-1,@a,"\r=1","\n=1","a\n=1"\n' });
    expect(await write([])).toEqual({ text: '' });
  });
});

describe('xml', () => {
  const parse = (text: string) => run(xml, { operation: 'parse', text });
  const write = (value: JsonValue, more: object = {}) => run(xml, { operation: 'write', value, ...more });

  it('reads elements, attributes, texts and characters by number', async () => {
    expect(
      await parse('<?xml version="1.0"?><a x="1&amp;2"><b>01</b><b> t </b>&lt;&#65;&#x42;<c/><![CDATA[<d>]]></a>'),
    ).toEqual({ a: { '@x': '1&2', b: ['01', 't'], c: '', '#text': '<AB<d>' } });
  });

  it.each([
    ['<a>', 'XML_INVALID'],
    ['hello', 'XML_INVALID'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'XML_INVALID'],
    ['<!DOCTYPE a><a/>', 'XML_INVALID'],
    ['<!doctype a><a/>', 'XML_INVALID'],
    ['<a><!DOCTYPE b></a>', 'XML_INVALID'],
    [`<!DOCTYPE a [${'<!ENTITY b "c">'.repeat(20_000)}]><a/>`, 'XML_INVALID'],
    [`<!-- <!-- --><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, 'XML_INVALID'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'XML_INVALID'],
    ['<a><__proto__>1</__proto__></a>', 'XML_INVALID'],
    [`${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}`, 'XML_INVALID'],
    [`<a>${'x'.repeat(1_000_000)}</a>`, 'XML_INVALID'],
  ])('refuses %.40s', async (text, code) => {
    await expect(parse(text)).rejects.toMatchObject({ code, isRetryable: false });
  });

  it('reads a document type in a comment or a CDATA section as what it is: a text', async () => {
    const page = '<!DOCTYPE html><p>Hi</p>';
    expect(
      await parse(`<item><!-- ${page} --><body><![CDATA[${page}]]></body><i> <![CDATA[ x ]]> </i></item>`),
    ).toEqual({
      item: { body: page, i: ' x ' },
    });
  });

  it.each(['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'])(
    'reads and writes elements and attributes named %s',
    async (name) => {
      const text = `<a><${name} ${name}="1">x</${name}><${name}/><${name}>y</${name}><${name} b="2"/></a>`;
      const value = await parse(text);
      expect(JSON.stringify(value)).toBe(
        JSON.stringify({ a: { [name]: [{ '#text': 'x', [`@${name}`]: '1' }, '', 'y', { '@b': '2' }] } }),
      );
      expect(await write(value as JsonValue)).toEqual({ text });
    },
  );

  it('keeps white space in attributes, in xml:space="preserve", and where it is written as references', async () => {
    expect(await parse('<a><sep xml:space="preserve"> </sep><pin v=" 12 "/></a>')).toEqual({
      a: { sep: { '#text': ' ', '@xml:space': 'preserve' }, pin: { '@v': ' 12 ' } },
    });
    expect(
      await parse('<a xml:space="preserve"> x<b> y </b><c xml:space="default"> z <d> u </d></c><e/><f> &amp; </f></a>'),
    ).toEqual({
      a: {
        '#text': ' x',
        '@xml:space': 'preserve',
        b: ' y ',
        c: { '#text': 'z', '@xml:space': 'default', d: 'u' },
        e: '',
        f: ' & ',
      },
    });
    expect(await parse('<a><b>\n &#32;x&#10; </b><c>\u00A0</c><d xml:space="preserve"/><e> f </e></a>')).toEqual({
      a: { b: ' x\n', c: '\u00A0', d: { '@xml:space': 'preserve' }, e: 'f' },
    });
    await expect(parse('<a>\uFFFE</a>')).rejects.toMatchObject({ code: 'XML_INVALID' });
  });

  it('writes what readers read as it was', async () => {
    const text = '<option checked="true" value="1"/>';
    expect(await write((await parse(text)) as JsonValue)).toEqual({ text });
    const value = { größe: { '@länge': ' a\n\tb\r', '#text': 'x\r\ny' }, 日本: ['&#10;', ']]>'] };
    const written = await write(value);
    expect(written).toEqual({
      text: '<größe länge=" a&#10;&#9;b&#13;">x&#13;\ny</größe><日本>&amp;#10;</日本><日本>]]&gt;</日本>',
    });
    expect(await parse(`<r>${(written as { text: string }).text}</r>`)).toEqual({ r: value });
    const deep = `${'<a>'.repeat(150)}x${'</a>'.repeat(150)}`;
    expect(await write((await parse(deep)) as JsonValue)).toEqual({ text: deep });
  });

  it.each<[JsonValue, string]>([
    [{ a: '\0' }, 'a'],
    [{ a: ['\x1b'] }, 'a[0]'],
    [{ a: { '@b': '\uFFFF' } }, 'a.@b'],
    [{ a: { '#text': '\uD800' } }, 'a.#text'],
    [{ a: { '@b': [1] } }, 'a.@b'],
    [{ a: { '#text': { b: 1 } } }, 'a.#text'],
    [{ a: [[1]] }, 'a[0]'],
    [{ '@a': 1 }, '@a'],
    [{ '?xml': 1 }, '?xml'],
    [{ a: { '@': 1 } }, 'a.@'],
  ])('does not write %j, which XML cannot express', async (value, path) => {
    await expect(write(value)).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: expect.stringMatching(new RegExp(`^parameters.value.${path.replaceAll(/[[\].?]/g, '\\$&')} `)),
      isRetryable: false,
    });
  });

  it('writes what it reads, and only names that XML has', async () => {
    const value = { order: { '@id': '17 & "18"', item: ['<pen>', 'ink'], note: { '#text': 'a', '@by': 'b' } } };
    const written = await write(value);
    expect(written).toEqual({
      text: '<order id="17 &amp; &quot;18&quot;"><item>&lt;pen&gt;</item><item>ink</item><note by="b">a</note></order>',
    });
    expect(await parse((written as { text: string }).text)).toEqual(value);
    await expect(write({ a: [{ '<b>': 1 }] })).rejects.toMatchObject({
      code: 'PARAMETERS_INVALID',
      message: 'parameters.value.a[0].<b> is not a name of an element or attribute',
    });
    await expect(write([1])).rejects.toMatchObject({ code: 'PARAMETERS_INVALID' });
  });
});
