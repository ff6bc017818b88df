// The kinds of values that matrices of n8n's results are recorded for. Undefined is a field that an item does not have.

const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'A',
    'abc',
    'Bca',
    '0',
    '1',
    '5',
    '-1.5',
    '1e3',
    '0x10',
    'true',
    'False',
    'yes',
    'null',
    '{}',
    '[]',
  ],
  ...['[1,2]', "['a']", '{"a":1}', '{a:1}', '2024-01-15', '2024-01-15T10:00:00Z', '2024-01-15T12:00:00+02:00', '2024'],
  ...['2024-01-15 10:00:00', '15 Jan 2024', 'Mon, 15 Jan 2024 10:00:00 GMT', '20240115', '2024-02-30', '10:30', 'a 1'],
];
const NUMBERS = [0, 1, 2, 5, -1.5, 1000, 2024, 1705312800000];
const LISTS = [[], [1], ['a'], ['A', 'b'], [null], [1, 2], [[]], ['2024-01-15'], ['{"a":1}'], [{}]];
const OBJECTS = [{}, { a: 1 }, { a: null }];

/** Every kind. */
export const VALUES = [undefined, null, true, false, ...TEXTS, ...NUMBERS, ...LISTS, ...OBJECTS];
