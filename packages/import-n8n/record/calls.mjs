/** Calls of services: parameters of nodes, items, and what the service responds to each request. */
const id = (value) => ({ __rl: true, mode: 'id', value });
const listed = (value, cachedResultName) => ({ __rl: true, mode: 'list', value, cachedResultName });

const SHEET = { documentId: id('doc'), sheetName: listed('gid=0', 'Sheet1') };
const SHEETS = { sheets: [{ properties: { sheetId: 0, title: 'Sheet1', gridProperties: { columnCount: 26 } } }] };
const TABLE = { base: id('appB'), table: id('tblT') };
const RECORD = { id: 'rec1', createdTime: '2026-11-20T08:15:00.000Z', fields: { Name: 'Ada', Age: 36 } };

const FILE = { data: 'SGVsbG8=', mimeType: 'text/plain', fileName: 'a.txt' };

export const CALLS = [
  {
    type: 'slack',
    version: 2.2,
    parameters: { select: 'channel', channelId: id('C1'), text: '=Hello {{ $json.name }}', otherOptions: {} },
    items: [{ name: 'Ada' }],
    responses: [{ ok: true, channel: 'C1', ts: '1.2', message: { text: 'Hello Ada' } }],
  },
  {
    type: 'slack',
    version: 2.3,
    parameters: {
      select: 'channel',
      channelId: listed('C1', 'general'),
      text: 'Hi',
      otherOptions: { includeLinkToWorkflow: false },
    },
    items: [{ name: 'Ada' }, { name: 'Bob' }],
    responses: [{ ok: true, channel: 'C1', ts: '1.2' }],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: { select: 'user', user: id('U1'), text: 'Hi', otherOptions: { includeLinkToWorkflow: false } },
    responses: [{ ok: true, channel: 'D1', ts: '1.2' }],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: {
      select: 'channel',
      channelId: { __rl: true, mode: 'name', value: '#general' },
      text: 'Hi',
      otherOptions: {
        includeLinkToWorkflow: false,
        mrkdwn: true,
        thread_ts: { replyValues: { thread_ts: '1.1' } },
        unfurl_links: false,
      },
    },
    responses: [{ ok: true }],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: {
      operation: 'update',
      channelId: id('C1'),
      ts: '1.2',
      text: 'Hi',
      updateFields: {},
      otherOptions: { includeLinkToWorkflow: false },
    },
    responses: [{ ok: true, ts: '1.2' }],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: { resource: 'channel', operation: 'create', channelId: 'new' },
    responses: [{ ok: true, channel: { id: 'C2' } }],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: { resource: 'user', operation: 'info', user: id('U1') },
    responses: [{ ok: true, user: { id: 'U1' } }],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: { resource: 'reaction', operation: 'add', channelId: id('C1'), timestamp: '1.2', name: 'smile' },
    responses: [{ ok: true }],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: { ...SHEET, options: {} },
    responses: [SHEETS, { values: [['a', 'b', ''], ['1', '2', 'x'], [], ['3']] }],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: { ...SHEET, filtersUI: { values: [{ lookupColumn: 'a', lookupValue: '=1' }] }, options: {} },
    responses: [
      SHEETS,
      {
        values: [
          ['a', 'b'],
          ['1', '2'],
          ['3', '4'],
          ['1', '5'],
        ],
      },
    ],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation: 'append',
      columns: {
        mappingMode: 'defineBelow',
        value: { a: '={{ $json.x }}', b: 'two' },
        matchingColumns: [],
        schema: [
          { id: 'a', displayName: 'a', type: 'string', display: true },
          { id: 'b', displayName: 'b', type: 'string', display: true },
        ],
      },
      options: {},
    },
    items: [{ x: 'one' }, { x: 5 }],
    responses: [
      SHEETS,
      {
        values: [
          ['b', 'a'],
          ['1', '2'],
        ],
      },
      {},
      { updatedRows: 2 },
    ],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation: 'append',
      columns: { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] },
      options: {},
    },
    items: [{ a: 'one' }],
    responses: [
      SHEETS,
      {
        values: [
          ['b', 'a'],
          ['1', '2'],
        ],
      },
      {},
      { updatedRows: 2 },
    ],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation: 'update',
      columns: {
        mappingMode: 'defineBelow',
        value: { a: '={{ $json.x }}', b: 'two' },
        matchingColumns: ['a'],
        schema: [
          { id: 'a', displayName: 'a', type: 'string', display: true, canBeUsedToMatch: true },
          { id: 'b', displayName: 'b', type: 'string', display: true },
        ],
      },
      options: {},
    },
    items: [{ x: '1' }],
    responses: [
      SHEETS,
      {
        values: [
          ['a', 'b'],
          ['0', '2'],
          ['1', '3'],
        ],
      },
      { values: [['a'], ['0'], ['1']] },
      {},
    ],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation: 'appendOrUpdate',
      columns: {
        mappingMode: 'defineBelow',
        value: { a: '={{ $json.x }}', b: 'two' },
        matchingColumns: ['a'],
        schema: [
          { id: 'a', displayName: 'a', type: 'string', display: true, canBeUsedToMatch: true },
          { id: 'b', displayName: 'b', type: 'string', display: true },
        ],
      },
      options: {},
    },
    items: [{ x: '1' }, { x: '7' }],
    responses: [
      SHEETS,
      {
        values: [
          ['a', 'b'],
          ['0', '2'],
          ['1', '3'],
        ],
      },
      { values: [['a'], ['0'], ['1']] },
      {},
    ],
  },
  {
    type: 'gmail',
    version: 2.1,
    parameters: { operation: 'addLabels', messageId: 'm', labelIds: ['L'] },
    responses: [{ id: 'm', labelIds: ['L'] }],
  },
  {
    type: 'gmail',
    version: 2.1,
    parameters: { operation: 'removeLabels', messageId: 'm', labelIds: ['L'] },
    responses: [{ id: 'm', labelIds: ['L'] }],
  },
  { type: 'gmail', version: 2.1, parameters: { operation: 'markAsRead', messageId: 'm' }, responses: [{ id: 'm' }] },
  { type: 'gmail', version: 2.1, parameters: { operation: 'markAsUnread', messageId: 'm' }, responses: [{ id: 'm' }] },
  {
    type: 'airtable',
    version: 2.1,
    parameters: {
      ...TABLE,
      operation: 'create',
      columns: {
        mappingMode: 'defineBelow',
        value: { Name: '={{ $json.n }}', Age: 36 },
        schema: [
          { id: 'Name', type: 'string' },
          { id: 'Age', type: 'number' },
        ],
      },
      options: {},
    },
    items: [{ n: 'Ada' }],
    responses: [RECORD],
  },
  {
    type: 'airtable',
    version: 2.1,
    parameters: { ...TABLE, operation: 'search', options: {} },
    responses: [{ records: [RECORD, { ...RECORD, id: 'rec2' }] }],
  },
  {
    type: 'airtable',
    version: 2.1,
    parameters: {
      ...TABLE,
      operation: 'search',
      filterByFormula: "={Name} = '{{ $json.n }}'",
      returnAll: false,
      limit: 5,
      options: {},
    },
    items: [{ n: 'Ada' }],
    responses: [{ records: [RECORD] }],
  },
  {
    type: 'airtable',
    version: 2.1,
    parameters: { ...TABLE, operation: 'get', id: 'rec1', options: {} },
    responses: [RECORD],
  },
  {
    type: 'airtable',
    version: 2.1,
    parameters: { ...TABLE, operation: 'deleteRecord', id: 'rec1' },
    responses: [{ deleted: true, id: 'rec1' }],
  },
  {
    type: 'googleCalendar',
    version: 1.2,
    parameters: { operation: 'delete', calendar: id('a@example.com'), eventId: 'e', options: {} },
    responses: [''],
  },
  {
    type: 'googleCalendar',
    version: 1.2,
    parameters: { operation: 'get', calendar: id('a@example.com'), eventId: 'e', options: {} },
    responses: [{ id: 'e' }],
  },
  {
    type: 'github',
    version: 1.1,
    parameters: {
      resource: 'issue',
      operation: 'createComment',
      owner: id('o'),
      repository: id('r'),
      issueNumber: 5,
      body: 'B',
    },
    responses: [{ id: 1 }],
  },
  {
    type: 'github',
    version: 1.1,
    parameters: { resource: 'issue', operation: 'get', owner: id('o'), repository: id('r'), issueNumber: 5 },
    responses: [{ id: 1 }],
  },
  {
    type: 'discord',
    version: 2,
    parameters: { resource: 'message', guildId: id('G'), channelId: id('C'), content: 'Hi', options: {} },
    responses: [{ id: 'm' }],
  },
  ...[1, 1.3].flatMap((version) => [
    {
      ...{ type: 'googleCalendar', version, items: [{ at: '2026-11-20T08:15:00Z', name: 'Ada' }] },
      parameters: {
        calendar: listed('me@example.com', 'Me'),
        start: '={{ $json.at }}',
        end: '2026-11-20T10:15:00+01:00',
        additionalFields: {
          attendees: ['a@example.com, b@example.com', 'c@example.com'],
          summary: '=Call {{ $json.name }}',
          location: 'Bern',
          showMeAs: 'transparent',
          sendUpdates: 'all',
        },
      },
      responses: [{ id: 'e1', summary: 'Call Ada' }],
    },
    {
      ...{ type: 'googleCalendar', version, items: [{ at: '2026-11-20T08:15:00Z' }] },
      parameters: {
        operation: 'getAll',
        calendar: id('me@example.com'),
        limit: 5,
        timeMin: '={{ $json.at }}',
        timeMax: '2026-11-21T08:15:00Z',
        options: {
          query: 'call',
          ...(version === 1 && { timeMin: '={{ $json.at }}', singleEvents: true }),
          orderBy: 'startTime',
        },
      },
      responses: [{ items: [{ id: 'e1' }, { id: 'e2' }] }],
    },
  ]),
  {
    ...{ type: 'googleDrive', version: 3, items: [{ name: 'Report' }], file: FILE },
    parameters: {
      name: '=To {{ $json.name }}',
      driveId: listed('My Drive', 'My Drive'),
      folderId: listed('folder1', 'Reports'),
      options: {},
    },
    responses: [{ id: 'f1' }, { id: 'f1', name: 'To Report' }],
  },
  {
    ...{ type: 'googleDrive', version: 3, items: [{}], file: FILE },
    parameters: {
      driveId: id('drive1'),
      folderId: listed('root', '/ (Root folder)'),
      options: { simplifyOutput: true },
    },
    responses: [{ id: 'f1' }, { id: 'f1', name: 'a.txt' }],
  },
  {
    ...{ type: 'googleDrive', version: 3, items: [{ name: 'A' }, { name: '' }] },
    parameters: {
      resource: 'folder',
      name: '={{ $json.name }}',
      driveId: listed('My Drive', 'My Drive'),
      folderId: id('folder1'),
      options: {},
    },
    responses: [{ id: 'f1', name: 'A' }],
  },
  {
    ...{ type: 'googleDrive', version: 3, items: [{ id: 'f1' }] },
    parameters: { operation: 'deleteFile', fileId: id('={{ $json.id }}'), options: {} },
    responses: [{ id: 'f1' }],
  },
  {
    ...{ type: 'googleDrive', version: 3, items: [{ to: 'a@example.com' }] },
    parameters: {
      operation: 'share',
      fileId: listed('f1', 'A file'),
      permissionsUi: { permissionsValues: { role: 'writer', type: 'user', emailAddress: '={{ $json.to }}' } },
      options: { sendNotificationEmail: false },
    },
    responses: [{ id: 'p1', kind: 'drive#permission' }],
  },
];

const TEXT = { type: 'string', display: true };
const below = (value, matchingColumns = []) => ({
  mappingMode: 'defineBelow',
  value,
  matchingColumns,
  schema: Object.keys(value).map((name) => ({ id: name, displayName: name, ...TEXT })),
});
const address = {
  documentId: {
    __rl: true,
    mode: 'url',
    value: 'https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKlMnOpQrStUvWxYz012345/edit#gid=0',
  },
  sheetName: { __rl: true, mode: 'name', value: 'Sheet1' },
};

CALLS.push(
  ...[id('F1'), { __rl: true, mode: 'url', value: 'https://drive.google.com/file/d/F1/view' }].map((fileId) => ({
    type: 'googleDrive',
    version: 3,
    parameters: { operation: 'download', fileId, options: {} },
    items: [{ x: 1 }],
    responses: [{ mimeType: 'text/plain', name: 'a.txt' }, 'bytes'],
  })),

  ...[4, 4.1, 4.2, 4.4, 4.6, 4.7].map((version) => ({
    type: 'googleSheets',
    version,
    parameters: { ...address, options: {} },
    responses: [SHEETS, { values: [[], ['a', 'b'], ['1', ''], ['', ''], [0, false]] }],
  })),
  ...[4.3, 4.7].map((version) => ({
    type: 'googleSheets',
    version,
    parameters: { ...SHEET, options: {} },
    items: [{ x: 1 }, { x: 2 }],
    responses: [SHEETS, { values: [['a'], ['1']] }, { values: [['a'], ['2'], ['3']] }],
  })),
  ...[4.5, 4.6].flatMap((version) =>
    ['OR', 'AND'].map((combineFilters) => ({
      type: 'googleSheets',
      version,
      parameters: {
        ...SHEET,
        combineFilters,
        filtersUI: {
          values: [
            { lookupColumn: 'a', lookupValue: '={{ $json.x }}' },
            { lookupColumn: 'b', lookupValue: 'y' },
          ],
        },
        options: { returnFirstMatch: true },
      },
      items: [{ x: 1 }],
      responses: [
        SHEETS,
        {
          values: [
            ['a', 'b'],
            [2, 'y'],
            [1, 'x'],
            [1, 'y'],
          ],
        },
      ],
    })),
  ),
  {
    type: 'googleSheets',
    version: 4.4,
    parameters: { ...SHEET, filtersUI: { values: [{ lookupColumn: 'a', lookupValue: '1' }] }, options: {} },
    responses: [SHEETS, { values: [['a', ''], [1, 'x'], [1]] }],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: { ...SHEET, filtersUI: { values: [{ lookupColumn: 'none', lookupValue: '1' }] }, options: {} },
    responses: [SHEETS, { values: [['a'], [1]] }],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      options: {
        outputFormatting: { values: { general: 'FORMATTED_VALUE', date: 'SERIAL_NUMBER' } },
        dataLocationOnSheet: { values: { rangeDefinition: 'detectAutomatically', readRowsUntil: 'firstEmptyRow' } },
      },
    },
    responses: [SHEETS, { values: [['a'], ['1'], [], ['2']] }],
  },
  { type: 'googleSheets', version: 4.5, parameters: { ...SHEET, options: {} }, responses: [SHEETS, {}] },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: { ...SHEET, sheetName: id('7'), options: {} },
    responses: [SHEETS],
  },
  {
    type: 'googleSheets',
    version: 4,
    parameters: { ...SHEET, operation: 'append', columns: below({ a: '={{ $json.x }}' }), options: {} },
    items: [{ x: { y: 1 } }, { x: null }],
    responses: [
      SHEETS,
      {
        values: [
          ['a', 'b'],
          ['1', '2'],
        ],
      },
      {},
      {},
    ],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation: 'append',
      columns: below({ a: '1', c: '2' }),
      options: { cellFormat: 'RAW' },
    },
    responses: [SHEETS, { values: [['a', 'b']] }],
  },
  {
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation: 'append',
      columns: { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] },
      options: {},
    },
    items: [{ b: 'one' }, { a: true, b: null }],
    responses: [SHEETS, { values: [['b', 'a']] }, {}, {}],
  },
  ...['update', 'appendOrUpdate'].map((operation) => ({
    type: 'googleSheets',
    version: 4.5,
    parameters: {
      ...SHEET,
      operation,
      columns: below({ a: '={{ $json.x }}', b: '={{ $json.y }}' }, ['a']),
      options: {},
    },
    items: [{ x: 5, y: 'new' }, { x: 1 }, { x: null, y: 'none' }, { x: 1, y: true }],
    responses: [
      SHEETS,
      {
        values: [
          ['b', 'a'],
          ['0', '1'],
          ['1', '5'],
          ['2', '1'],
        ],
      },
      {},
      {},
    ],
  })),
  ...['update', 'appendOrUpdate'].map((operation) => ({
    type: 'googleSheets',
    version: 4.5,
    parameters: { ...SHEET, operation, columns: below({ a: '', b: 'x' }, ['a']), options: {} },
    responses: [SHEETS, { values: [['a', 'b']] }],
  })),
  ...['update', 'appendOrUpdate'].map((operation) => ({
    type: 'googleSheets',
    version: 4.7,
    parameters: { ...SHEET, operation, columns: below({ a: 'none', b: 'x' }, ['a']), options: {} },
    responses: [
      SHEETS,
      {
        values: [
          ['a', 'b'],
          ['1', '2'],
        ],
      },
      {},
      {},
    ],
  })),
);

CALLS.push(
  {
    type: 'airtable',
    version: 2.1,
    parameters: {
      ...TABLE,
      operation: 'create',
      columns: { mappingMode: 'defineBelow', value: { Name: null, Age: '={{ $json.none }}', Ok: false }, schema: [] },
      options: {},
    },
    responses: [RECORD],
  },
  {
    type: 'airtable',
    version: 2.1,
    parameters: {
      base: { __rl: true, mode: 'url', value: 'https://airtable.com/appB1/tblT1/viw' },
      table: { __rl: true, mode: 'url', value: '={{ $json.at }}' },
      operation: 'get',
      id: '={{ $json.n }}',
      options: {},
    },
    items: [
      { at: 'https://airtable.com/appB1/tblT2/viw', n: 'r' },
      { at: 'https://airtable.com/appB1/tblT3', n: 's' },
    ],
    responses: [RECORD],
  },
  {
    type: 'slack',
    version: 2.2,
    parameters: { select: 'channel', channelId: id('C1'), text: 'Hi', otherOptions: {} },
    responses: [{ ok: false, error: 'channel_not_found' }],
  },
);

CALLS.push(
  ...[
    { subject: 'Hi', message: '<p>Hello</p>', options: { appendAttribution: false } },
    {
      subject: '={{ $json.s }}',
      emailType: 'text',
      message: '=Hello {{ $json.n }}',
      options: { ccList: 'b@example.com, c@example.com', bccList: 'd@example.com', replyTo: 'e@example.com' },
    },
  ].map((parameters) => ({
    type: 'gmail',
    version: 2.1,
    parameters: { sendTo: 'a@example.com', ...parameters },
    items: [{ n: 'Ada', s: 'A subject with ümläüts, which is longer than an encoded word can be: 🙂🙂🙂🙂' }],
    responses: [{ id: 'm', threadId: 't', labelIds: ['SENT'] }],
  })),
  {
    type: 'gmail',
    version: 2.2,
    parameters: { sendTo: '={{ $json.to }}', subject: 'Hi', message: 'Hello', options: { appendAttribution: false } },
    items: [{ to: 'a@example.com' }, { to: 'b@example.com,c@example.com' }],
    responses: [{ id: 'm', threadId: 't', labelIds: ['SENT'] }],
  },
);
