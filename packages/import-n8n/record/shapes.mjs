// The parameters and items that items.mjs records, by type: inputs, each a list of items by input of the node, and
// shapes, each a version with parameters as an export has them.
const DATES = [
  ...['2024-01-31', '2024-02-29T23:59:59.999Z', '2024-03-31T00:30:00Z', '2024-03-31T01:30:00+01:00', '2023-12-31'],
  ...['2024-10-27T00:30:00Z', '2024-10-27T01:30:00Z', '2024-06-15T12:00:00-05:00', '2024-06-15T12:00:00+05:30'],
  ...['2024-06-15 12:00', '2024-06-15T12:00', '2024-06-15T12:00:00.123456Z', '2024-06-15T24:00:00Z', '2024-13-01'],
  ...[
    '1705312800',
    '1705312800000',
    '1705312800.5',
    1705312800,
    1705312800.5,
    -86400000,
    1e20,
    '1e20',
    99999999999,
    100000000000,
  ],
  ...['0999-01-01', '1000-01-01', '9999-12-31T23:59:59Z', '2024-06-15T12:00:00Z ', ' 2024-06-15', '2024-06-15t12:00'],
];
/** Other values that dates may be read from, and some that they cannot. */
const OTHERS = [
  ...[undefined, null, true, '', ' ', 'a', '0', '5', '-1.5', '1e3', '2024', '2024-01-15 10:00:00', '15 Jan 2024'],
  ...['20240115', '2024-02-30', '10:30', 0, 1, -1.5, 1705312800000, [], [1], ['2024-01-15'], {}, { a: 1 }],
];
const ofOne = (values) => values.map((a) => [[a === undefined ? {} : { a, b: 1 }]]);
const A = '={{ $json.a }}';
const UNITS = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'];
const STARTS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'];
const FORMATS = ['MM/dd/yyyy', 'yyyy/MM/dd', 'MMMM dd yyyy', 'MM-dd-yyyy', 'yyyy-MM-dd', 'X', 'x'];
const OLD_FORMATS = ['MM/DD/YYYY', 'YYYY/MM/DD', 'MMMM DD YYYY', 'MM-DD-YYYY', 'YYYY-MM-DD', 'X', 'x'];
const DIFFERENCES = [
  ...[['day'], ['year'], ['month'], ['week'], ['hour'], ['minute'], ['second'], ['millisecond']],
  ...[
    ['day', 'hour'],
    ['year', 'month', 'day'],
    ['week', 'minute', 'second'],
    ['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'],
    ['hour', 'day'],
  ],
];

/** Lists of items with equal, missing and mixed fields. */
const LISTS = [
  [{ a: 1 }, { a: 1 }, { a: 2 }, { a: 1 }],
  [
    { a: 1, b: 2 },
    { a: 1, b: 3 },
    { b: 2, a: 1 },
  ],
  [{ a: 'x' }, { a: 'X' }, { a: 'x' }, { a: '' }, { a: '' }],
  [{ a: 1 }, { a: '1' }],
  [{ a: 1 }, { b: 1 }],
  [{ a: null }, { a: null }],
  [{ a: 1 }, { a: null }, { a: 1 }],
  [{ a: true }, { a: true }, { a: false }],
  [{ a: { b: 1 } }, { a: { b: 1 } }, { a: { b: 2 } }],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
  [{ a: [1, 2] }, { a: [1, 2] }, { a: [2, 1] }],
  [{ a: [] }, { a: {} }],
  [{ 'a.b': 1 }, { a: { b: 1 } }],
  [
    { a: 1, b: 'x', c: [1] },
    { a: 2, b: 'x', c: [1] },
    { a: 2, b: 'y', c: [2] },
    { a: 2.5, b: '', c: null },
  ],
  [{ a: 1 }],
  [{}],
  [{}, {}],
  [{ b: 'x', a: 3 }, { b: 'y', a: '4' }, { b: 'x', a: null }, { b: 'z' }, { a: 5 }, { b: 0, a: 1 }, { b: null, a: 2 }],
  [{ a: 'b' }, { a: null }, { a: 'b' }],
  [{ a: { x: 1 } }, { a: { x: 2 } }, { a: { x: 1 } }],
  [
    { b: { c: 1 }, a: 1 },
    { b: { c: 1 }, a: 2 },
    { b: [1], a: '' },
    { b: true, a: false },
  ],
];
const XML = [
  '<a/>',
  '<a></a>',
  '<a>x</a>',
  '<a> x </a>',
  '<a>\n  <b>1</b>\n  <b>2</b>\n  <c d="e">f</c>\n</a>',
  '<a b="1" c="2"/>',
  '<a b="1"><b>2</b></a>',
  '<a b="1">text</a>',
  '<a>text<b/>more</a>',
  '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><item><title>A &amp; B</title></item><item/></channel></rss>',
  '<a><![CDATA[<b> & c]]></a>',
  '<ns:a xmlns:ns="urn:x"><ns:b ns:c="1">2</ns:b></ns:a>',
  '<a><b><c/><c>1</c></b><b x="1"/></a>',
  '<a><!-- comment --><b>1</b></a>',
  '<a>&lt;b&gt; &#65; &quot;</a>',
  '<a><_>1</_>2</a>',
  '<a>1</a><b>2</b>',
  '<constructor><prototype>1</prototype><prototype>2</prototype><b constructor="3"/></constructor>',
  '<a><toString>1</toString><valueOf/><valueOf/></a>',
  '<a toString="1" valueOf="2"/>',
  '<a><b></a>',
  'text',
  '',
];
const AGGREGATIONS = ['append', 'average', 'concatenate', 'count', 'countUnique', 'max', 'min', 'sum'];
const fields = (...values) => ({ fieldsToSummarize: { values } });
const pairs = (...names) => ({
  mergeByFields: { values: names.map(([field1, field2 = field1]) => ({ field1, field2 })) },
});

/** A rule of a Switch. */
const above = (rightValue) => ({
  conditions: {
    options: { version: 2, typeValidation: 'strict', caseSensitive: true, leftValue: '' },
    combinator: 'and',
    conditions: [{ leftValue: '={{ $json.n }}', rightValue, operator: { type: 'number', operation: 'gt' } }],
  },
});

const OLD_WAYS = { combineByPosition: 'mergeByPosition', combineAll: 'multiplex', combineByFields: 'mergeByFields' };
/** Items of two inputs. */
const PAIRS = [
  ...LISTS.slice(0, 12).map((list, index) => [list, LISTS[(index * 5) % 12]]),
  [
    [{ id: 1, a: 1 }, { id: 2, a: 1, b: { c: 1 } }, { id: 3, a: null }, { id: 2, a: 5 }, {}],
    [
      { id: 2, a: 1, b: { c: 1 } },
      { id: 3, a: 4, d: '' },
      { id: 4, a: 1 },
      { id: 2, a: 6 },
    ],
  ],
  [
    [{ id: 1, k: { x: 1 } }],
    [
      { key: 1, id: 1, k: { x: 2 } },
      { key: 2, id: 2 },
    ],
  ],
  [
    [{ id: 0, z: 0 }, { id: null }],
    [{ id: 0, z: '' }, { id: null, q: 1 }, { z: 1 }],
  ],
  [
    [{ id: 1, a: { x: 1, y: [1, 2] } }],
    [
      { id: 1, a: { y: [3], z: null } },
      { id: 1, a: [5] },
      { id: 1, a: 'text' },
    ],
  ],
  [
    [
      { id: 1, a: [1] },
      { id: 1, a: 'x' },
    ],
    [
      { id: 1, a: { 0: 2, b: 3 } },
      { id: 1, a: null },
    ],
  ],
  [[{ id: 1 }], []],
  [[], [{ id: 1 }]],
];

export const SHAPES = {
  compareDatasets: {
    inputs: PAIRS,
    shapes: [
      ...[1, 2, 2.1, 2.2, 2.3].flatMap((version) => [
        [version, pairs(['id'])],
        [version, pairs(['a'])],
        [version, { ...pairs(['id']), options: { multipleMatches: 'all' } }],
        [version, { ...pairs(['a'], ['b']), resolve: 'includeBoth' }],
      ]),
      ...['preferInput1', 'preferInput2', 'includeBoth'].flatMap((resolve) => [
        [2.3, { ...pairs(['id']), resolve, options: { multipleMatches: 'all' } }],
        [2.3, { ...pairs(['id', 'key']), resolve, options: { skipFields: 'k, a' } }],
        [2, { ...pairs(['a.b', 'a.b']), resolve }],
      ]),
      [2.3, { ...pairs(['a.b']), options: { disableDotNotation: true } }],
      [1, { ...pairs(['id']), resolve: 'includeBoth', options: { skipFields: 'a' } }],
      [2.3, {}],
    ],
  },
  html: {
    inputs: [...LISTS, [{ a: '$& $$ x' }], [{ a_b: true, c: false, d: 'x' }, { d: [1, { e: 2 }] }]].map((list) => [
      list,
    ]),
    shapes: [1, 1.1, 1.2].flatMap((version) => [
      [version, { html: '<p class="$json">{{ $json.a }}</p>{{ $json.b + 1 }}{{ $json.c }}\n{ }' }],
      [version, { html: 'nothing' }],
      [version, {}],
      [version, { operation: 'convertToHtmlTable' }],
      [
        version,
        {
          operation: 'convertToHtmlTable',
          options: {
            ...{ capitalize: true, customStyling: true, caption: 'All `${a}` "b"', tableAttributes: 'id="t"' },
            ...{ headerAttributes: 'h', rowAttributes: 'r="`${x}`"', cellAttributes: 'c' },
          },
        },
      ],
    ]),
  },
  itemLists: {
    inputs: LISTS.map((list) => [list]),
    shapes: [3, 3.1].flatMap((version) => {
      const aggregate = { operation: 'concatenateItems' };
      const field = (...values) => ({
        fieldsToAggregate: { fieldToAggregate: values.map((fieldToAggregate) => ({ fieldToAggregate })) },
      });
      return [
        { ...aggregate, ...field('a') },
        { ...aggregate, ...field('a', 'b') },
        { ...aggregate, ...field('a.b'), options: { mergeLists: true } },
        { ...aggregate, ...field('a'), options: { keepMissing: true } },
        { ...aggregate, aggregate: 'aggregateAllItemData' },
        { ...aggregate, aggregate: 'aggregateAllItemData', destinationFieldName: 'all' },
        { operation: 'removeDuplicates' },
        { operation: 'removeDuplicates', compare: 'selectedFields', fieldsToCompare: 'a' },
        { operation: 'sort', sortFieldsUi: { sortField: [{ fieldName: 'a' }] } },
        {
          operation: 'sort',
          sortFieldsUi: { sortField: [{ fieldName: 'b', order: 'descending' }, { fieldName: 'a' }] },
        },
        { operation: 'limit' },
        { operation: 'limit', maxItems: 2, keep: 'lastItems' },
      ].map((parameters) => [version, parameters]);
    }),
  },
  merge: {
    inputs: PAIRS,
    shapes: [
      ...['multiplex', 'mergeByIndex'].map((mode) => [1, { mode }]),
      ...['inner', 'left', 'outer'].map((join) => [1, { mode: 'mergeByIndex', join }]),
      [1, { mode: 'append' }],
      [2, { mode: 'combine' }],
      [3.2, { mode: 'combine', options: {} }],
      ...[2, 2.1, 3.2].flatMap((version) => {
        const way = (each) => ({
          ...{ mode: 'combine', [version < 3 ? 'combinationMode' : 'combineBy']: version < 3 ? OLD_WAYS[each] : each },
        });
        const by = (names, rest = {}) => ({
          ...{ ...way('combineByFields'), ...(version >= 3 && { advanced: true }), ...pairs(...names), ...rest },
        });
        const clash = (values, rest = {}) => ({ options: { clashHandling: { values }, ...rest } });
        return [
          { mode: 'append' },
          way('combineAll'),
          way('combineByPosition'),
          ...['preferInput1', version < 3 ? 'preferInput2' : 'preferLast', 'addSuffix'].flatMap((resolveClash) => [
            { ...way('combineAll'), ...clash({ resolveClash }) },
            { ...way('combineByPosition'), ...clash({ resolveClash }) },
            { ...way('combineByPosition'), ...clash({ resolveClash }, { includeUnpaired: true }) },
            by(['id'], { joinMode: 'keepEverything', ...clash({ resolveClash }) }),
            by(['id'], { joinMode: 'enrichInput2', ...clash({ resolveClash }) }),
          ]),
          { ...way('combineByPosition'), options: { includeUnpaired: true } },
          { ...way('combineAll'), ...clash({ mergeMode: 'shallowMerge' }) },
          { ...way('combineAll'), ...clash({ resolveClash: 'preferInput1', mergeMode: 'shallowMerge' }) },
          by(['id'], clash({ resolveClash: 'preferInput1', mergeMode: 'shallowMerge' })),
          ...['keepMatches', 'keepNonMatches', 'keepEverything', 'enrichInput1', 'enrichInput2'].map((joinMode) =>
            by(['id'], { joinMode }),
          ),
          ...['input1', 'input2', 'both'].flatMap((outputDataFrom) => [
            by(['id'], { outputDataFrom }),
            by(['id'], { joinMode: 'keepNonMatches', outputDataFrom }),
          ]),
          by(['a', 'b']),
          by(['id', 'key'], { options: { multipleMatches: 'first' } }),
          by(['a.b'], {}),
          by(['a.b'], { options: { disableDotNotation: true } }),
          by(['id'], { outputDataFrom: 'input1', options: { multipleMatches: 'first' } }),
          ...(version >= 3 ? [{ ...way('combineByFields'), fieldsToMatchString: 'id, a' }] : []),
        ].map((parameters) => [version, parameters]);
      }),
    ],
  },
  mergeOfThree: {
    type: 'merge',
    inputs: [
      [[{ a: 1, b: { c: 1 } }, { a: 2 }], [{ b: { d: 2 } }], [{ a: 3, e: [1, 2] }, { a: 4 }]],
      [[{ a: 1 }], [{ a: 2, b: null }, { b: 1 }], [{ a: { x: 1 } }]],
      [[{ a: [1, 2] }], [{ a: [3] }], [{ a: { 0: 4, z: 5 } }]],
    ],
    shapes: [
      {},
      { options: { includeUnpaired: true } },
      { options: { clashHandling: { values: { resolveClash: 'preferInput2' } } } },
      { options: { clashHandling: { values: { resolveClash: 'addSuffix' } } } },
    ].flatMap((rest) => [
      ...[3, 3.2].map((version) => [
        ...[version, { mode: 'combine', combineBy: 'combineByPosition', numberInputs: 3, ...rest }],
      ]),
    ]),
  },
  removeDuplicates: {
    inputs: LISTS.map((list) => [list]),
    shapes: [1, 1.1, 2].flatMap((version) => [
      [version, {}],
      ...['a', ' a , b', 'a.b', 'missing', ''].flatMap((fieldsToCompare) => [
        [version, { compare: 'selectedFields', fieldsToCompare }],
      ]),
      ...['a', 'b', 'a.b', ''].map((fieldsToExclude) => [version, { compare: 'allFieldsExcept', fieldsToExclude }]),
      [version, { compare: 'selectedFields', fieldsToCompare: 'a', options: { removeOtherFields: true } }],
      [version, { compare: 'selectedFields', fieldsToCompare: 'a.b', options: { disableDotNotation: true } }],
      [version, { compare: 'allFieldsExcept', fieldsToExclude: 'a', options: { disableDotNotation: true } }],
      [
        version,
        {
          ...{ compare: 'allFieldsExcept', fieldsToExclude: 'b' },
          options: { disableDotNotation: true, removeOtherFields: true },
        },
      ],
    ]),
  },
  switchToAll: {
    type: 'switch',
    inputs: [[[{ n: 1 }, { n: 5 }, { n: -1 }, { n: 0 }]], [[{ n: 5 }]], [[{ n: -1 }]], [[{ n: 2 }, { n: 3 }]]],
    shapes: [3, 3.2].flatMap((version) =>
      [{}, { fallbackOutput: 'extra' }, { fallbackOutput: 1 }].map((rest) => [
        version,
        { rules: { values: [above(0), above(3)] }, options: { allMatchingOutputs: true, ...rest } },
      ]),
    ),
  },
  summarize: {
    inputs: LISTS.map((list) => [list]),
    shapes: [1, 1.1].flatMap((version) => [
      [version, {}],
      [version, fields({ field: 'a' })],
      ...AGGREGATIONS.flatMap((aggregation) => [
        [version, fields({ aggregation, field: 'a' })],
        [version, { ...fields({ aggregation, field: 'a' }), fieldsToSplitBy: 'b' }],
      ]),
      ...['append', 'concatenate', 'count', 'countUnique'].map((aggregation) => [
        ...[version, fields({ aggregation, field: 'a', includeEmpty: true })],
      ]),
      [version, fields({ aggregation: 'concatenate', field: 'a', separateBy: ', ' })],
      [version, fields({ aggregation: 'concatenate', field: 'a', separateBy: 'other', customSeparator: '-' })],
      [version, fields({ aggregation: 'concatenate', field: 'a', separateBy: 'other' })],
      [version, fields({ field: 'a.b' }, { aggregation: 'sum', field: 'a' }, { aggregation: 'max', field: 'c' })],
      [version, { ...fields({ aggregation: 'sum', field: 'a' }), fieldsToSplitBy: 'b, c' }],
      [
        version,
        {
          ...fields({ aggregation: 'sum', field: 'a' }),
          fieldsToSplitBy: 'b,c',
          options: { outputFormat: 'singleItem' },
        },
      ],
      [version, { ...fields({ field: 'a' }), fieldsToSplitBy: 'b', options: { skipEmptySplitFields: true } }],
      [version, { ...fields({ field: 'a.b' }), options: { disableDotNotation: true } }],
      [version, { ...fields({ field: 'none' }), options: { continueIfFieldNotFound: true } }],
      [version, fields({ field: 'none' }, { field: 'a' })],
    ]),
  },
  dateTime: {
    inputs: ofOne([...DATES, ...OTHERS]),
    shapes: [
      ...UNITS.flatMap((timeUnit) => [
        [2, { operation: 'addToDate', magnitude: A, timeUnit, duration: 13 }],
        [2, { operation: 'subtractFromDate', magnitude: A, timeUnit, duration: 1, outputFieldName: 'b' }],
        [1, { action: 'calculate', value: A, duration: 13, timeUnit }],
      ]),
      [2, { operation: 'addToDate', magnitude: A }],
      [2, { operation: 'addToDate', magnitude: '2024-01-31', timeUnit: 'months', duration: A }],
      [2, { operation: 'addToDate', magnitude: A, duration: 1, options: { includeInputFields: true } }],
      [2, { operation: 'subtractFromDate', magnitude: A, duration: -2 }],
      ...FORMATS.map((format) => [2, { operation: 'formatDate', date: A, format }]),
      [2, { operation: 'formatDate', date: A, outputFieldName: 'c.d', options: { includeInputFields: true } }],
      [2, { operation: 'formatDate', date: A, options: { timezone: true } }],
      ...['EEEE, d MMMM yyyy h:mm a', "yyyy-MM-dd'T'HH:mm:ss.SSS", "cccc LLL LL L yy M H m s 'o''clock'", ''].map(
        (customFormat) => [2, { operation: 'formatDate', date: A, format: 'custom', customFormat }],
      ),
      ...STARTS.map((toNearest) => [2, { operation: 'roundDate', date: A, toNearest }]),
      [2, { operation: 'roundDate', date: A }],
      [2, { operation: 'roundDate', date: A, mode: 'roundUp' }],
      ...DIFFERENCES.flatMap((units) => [
        [2, { operation: 'getTimeBetweenDates', startDate: A, endDate: '2024-05-31T10:20:30.456Z', units }],
        [2, { operation: 'getTimeBetweenDates', startDate: '2024-02-29', endDate: A, units }],
      ]),
      [2, { operation: 'getTimeBetweenDates', startDate: A, endDate: A }],
      ...['year', 'month', 'day', 'hour', 'minute', 'second'].map((part) => [
        2,
        { operation: 'extractDate', date: A, part },
      ]),
      [2, { operation: 'extractDate', date: A }],
      [1, { value: A }],
      [1, { value: A, dataPropertyName: 'c.d' }],
      ...OLD_FORMATS.map((toFormat) => [1, { value: A, toFormat }]),
      ...['dddd, D MMM YY h:mm A', 'YYYY-MM-DD[T]HH:mm:ss.SSS', 'M H m s'].map((toFormat) => [
        1,
        { value: A, custom: true, toFormat },
      ]),
      [1, { action: 'calculate', value: A, operation: 'subtract', duration: 2 }],
    ],
  },
  dateTimeInZones: {
    type: 'dateTime',
    inputs: ofOne(DATES.slice(0, 24)),
    shapes: [
      ...['Europe/London', 'America/St_Johns'].flatMap((zone) => [
        ...['months', 'days', 'hours'].map((timeUnit) => [
          ...[2, { operation: 'addToDate', magnitude: A, timeUnit, duration: 3 }, zone],
        ]),
        ...STARTS.map((toNearest) => [2, { operation: 'roundDate', date: A, toNearest }, zone]),
        [2, { operation: 'roundDate', date: A, mode: 'roundUp' }, zone],
        [2, { operation: 'extractDate', date: A, part: 'hour' }, zone],
        [2, { operation: 'formatDate', date: A, format: 'custom', customFormat: 'dd HH:mm' }, zone],
        [2, { operation: 'formatDate', date: A, options: { timezone: true } }, zone],
        ...DIFFERENCES.slice(0, 5).map((units) => [
          ...[2, { operation: 'getTimeBetweenDates', startDate: A, endDate: '2024-11-03T05:30:00Z', units }, zone],
        ]),
      ]),
    ],
  },
  xml: {
    inputs: [...XML.map((data) => [[{ data, other: 1 }]]), [[{}]], [[{ data: 5 }]], [[{ data: null }]]],
    shapes: [
      [1, {}],
      [1, { dataPropertyName: 'other' }],
      [1, { options: { trim: true } }],
      [1, { options: { mergeAttrs: false } }],
      [1, { options: { mergeAttrs: false, attrkey: 'at', charkey: 'text' } }],
    ],
  },
  xmlWritten: {
    type: 'xml',
    inputs: [
      ...[
        { a: 1, b: 2 },
        { a: [1, 2] },
        { a: { b: [1, 2], c: { $: { at: 1, to: 'x"<&' }, _: 't<&>' }, e: null, f: true, g: '' } },
      ],
      ...[
        {},
        { a: '' },
        { a: {} },
        { a: [] },
        { a: { _: 'x', b: 1 } },
        { a: { $: { b: 1 } } },
        { a: [{ b: 1 }, { c: 2 }] },
      ],
    ].map((item) => [[item]]),
    shapes: [
      [1, { mode: 'jsonToxml' }],
      [1, { mode: 'jsonToxml', options: { headless: true } }],
      [1, { mode: 'jsonToxml', dataPropertyName: 'xml', options: { rootName: 'top' } }],
    ],
  },
};
