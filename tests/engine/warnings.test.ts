import type { Definition, JsonObject, JsonValue, WarningCode } from '@deckhand/contracts';
import { compileWorkflow, findWarnings, MAX_WARNINGS } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { edges } from '../harness/engine.ts';

const types = await loadNodeTypes();
const start = { id: 'start', type: 'trigger.manual' };

/** Returns the warnings about a definition, which has to be valid. */
function warningsAbout(nodes: readonly object[], paths: Definition['edges'], settings?: JsonObject) {
  const compiled = compileWorkflow({ nodes, edges: paths, ...(settings && { settings }) }, types);
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  return findWarnings(compiled.workflow);
}

/** Returns the warnings about a node after the trigger, with nodes at its handles. */
const warningsOf = (node: JsonObject, ...handles: string[]) =>
  warningsAbout(
    [start, { id: 'node', ...node }, ...handles.map((handle) => ({ id: handle, type: 'merge' }))],
    edges('start -> node', ...handles.map((handle) => `node.${handle} -> ${handle}`)),
  );

const set = (fields: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'set',
  parameters: { fields },
  ...rest,
});
const http = (parameters: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'http',
  parameters: { url: 'https://example.com', ...parameters },
  ...rest,
});

describe('a node after a trigger has a warning', () => {
  const check = (condition: JsonValue): JsonObject => ({ type: 'if', parameters: { condition } });
  const dates = (parameters: JsonObject): JsonObject => ({
    type: 'dates',
    parameters: { operation: 'format', date: '{{ $now }}', format: 'yyyy', ...parameters },
  });
  const day = (format: string) => set({ day: `{{ date($now).format("${format}") }}` });
  const script = (source: string): JsonObject => ({ type: 'code', parameters: { source } });
  const ghp = `ghp_${'aB3'.repeat(12)}`;

  it.each<[JsonObject, WarningCode, string, string]>([
    [check('$input.amount > 100'), 'CONDITION_IS_TEXT', 'parameters.condition', 'an expression is in {{ }}'],
    [check(' {{ $input.ok }}'), 'CONDITION_IS_TEXT', 'parameters.condition', 'put all of it into one {{ }}'],
    [check('{{ $input.ok }}\n'), 'CONDITION_IS_TEXT', 'parameters.condition', 'put all of it into one {{ }}'],
    [check('{{ $input.amount }} > 100'), 'CONDITION_IS_TEXT', 'parameters.condition', 'put all of it into one {{ }}'],
    [
      check('{{ $input.a }}{{ $input.b }}'),
      'CONDITION_IS_TEXT',
      'parameters.condition',
      'put all of it into one {{ }}',
    ],
    [check('  '), 'CONDITION_IS_TEXT', 'parameters.condition', 'an expression is in {{ }}'],
    [
      { type: 'loop', parameters: { mode: 'while', condition: ' {{ $loop.index < 3 }} ' } },
      'CONDITION_IS_TEXT',
      'parameters.condition',
      'put all of it into one {{ }}',
    ],
    [set({ a: '={{ $input.a }}' }), 'FOREIGN_SYNTAX', 'parameters.fields.a', 'a part of the text'],
    [set({ a: ['{{ $input.item.json.a }}'] }), 'FOREIGN_SYNTAX', 'parameters.fields.a[0]', 'is $input'],
    [set({ a: '{{ $input.first().json.a }}' }), 'FOREIGN_SYNTAX', 'parameters.fields.a', '$input[0]'],
    [script('return $json.name'), 'FOREIGN_SYNTAX', 'parameters.source', 'the output of the node before is $input'],
    [script('return $("Get").item'), 'FOREIGN_SYNTAX', 'parameters.source', '$nodes.<id>.output'],
    [day('YYYY-MM-dd'), 'DATE_FORMAT_UNKNOWN', 'parameters', 'YYYY is not a part of a date format'],
    [day("d 'of' MMMM, w"), 'DATE_FORMAT_UNKNOWN', 'parameters', 'w is not a part of a date format'],
    [dates({ format: 'YYYY' }), 'DATE_FORMAT_UNKNOWN', 'parameters.format', 'YYYY is not a field'],
    [dates({ inputFormat: 'jj.MM.yyyy' }), 'DATE_FORMAT_UNKNOWN', 'parameters.inputFormat', 'jj is not a field'],
    [dates({ locale: 'xx' }), 'LOCALE_UNKNOWN', 'parameters.locale', 'not a known language'],
    [{ type: 'sort', parameters: { items: [], locale: 'zz' } }, 'LOCALE_UNKNOWN', 'parameters.locale', 'not a known'],
    [set({ a: '{{ $nodes.node.output }}' }), 'REFERENCE_NOT_BEFORE', 'parameters', 'the output of the node itself'],
    [set({}, { retry: { maxAttempts: 2 } }), 'RETRY_NEVER_HAPPENS', 'retry', 'would fail the same way again'],
    [
      { type: 'dates', parameters: { operation: 'parse', date: '{{ $now }}' }, retry: { maxAttempts: 2 } },
      'RETRY_NEVER_HAPPENS',
      'retry',
      'would fail the same way again',
    ],
    [
      { type: 'postgres', parameters: { query: 'SELECT 1' } },
      'CREDENTIAL_MISSING',
      'credentialId',
      'needs a credential of type postgres',
    ],
    [http({}, { mock: { body: 1 } }), 'MOCK_DIFFERS', 'mock', 'status is required'],
    [http({}, { mock: 'ok' }), 'MOCK_DIFFERS', 'mock', 'in which it must be'],
    [http({}, { onError: 'branch' }), 'ERROR_BRANCH_MISSING', 'onError', 'the run still succeeds'],
    [set({ note: `use ${ghp}!` }), 'SECRET_IN_PARAMETERS', 'parameters.fields.note', 'a token of GitHub'],
    [set({ a: `sk_live_${'4eC39Hq'.repeat(3)}` }), 'SECRET_IN_PARAMETERS', 'parameters.fields.a', 'a key of Stripe'],
    [
      set({ a: `xoxb-${'17653672481-'.repeat(2)}a` }),
      'SECRET_IN_PARAMETERS',
      'parameters.fields.a',
      'a token of Slack',
    ],
    [set({ a: 'AKIA2Y7WPTPB3JQKZL5V' }), 'SECRET_IN_PARAMETERS', 'parameters.fields.a', 'an access key of AWS'],
    [set({ db: { password: 'hunter2!' } }), 'SECRET_IN_PARAMETERS', 'parameters.fields.db.password', '"password"'],
    [
      http({ headers: { Authorization: 'Bearer 5f3a9c7d1e' } }),
      'SECRET_IN_PARAMETERS',
      'parameters.headers.Authorization',
      'an Authorization header',
    ],
    [
      set({ a: `eyJ${'aB3'.repeat(5)}.eyJ${'aB3'.repeat(5)}.${'aB3'.repeat(5)}` }, { disabled: true }),
      'SECRET_IN_PARAMETERS',
      'parameters.fields.a',
      'a JSON Web Token',
    ],
    [
      { type: 'code', parameters: { source: `return "-----BEGIN RSA PRIVATE KEY-----\\n…"` } },
      'SECRET_IN_PARAMETERS',
      'parameters.source',
      'a private key',
    ],
  ])('%j', (node, code, path, message) => {
    const warnings = warningsOf(node);
    expect(warnings).toEqual([
      {
        code,
        nodeId: 'node',
        path: `nodes[1].${path}`,
        message: expect.stringContaining(message),
        remedy: expect.stringMatching(/^[A-Z].*\.$/),
        page: `/docs/warnings#${code.toLowerCase()}`,
      },
    ]);
    expect(warnings[0]?.message).toMatch(/^[\p{L}$].*\.$/u);
    if (code === 'SECRET_IN_PARAMETERS') expect(JSON.stringify(warnings)).not.toMatch(/aB3|4eC|1765|2Y7W|hunter|5f3a/);
  });

  it.each<[JsonObject]>([
    [check('{{ $input.amount > 100 }}')],
    [check('{{ {a: 1}.a }}')],
    [check('')],
    [check(true)],
    [set({ a: '= {{ 1 }}', b: '$input.item.json', c: '{{ $input.item.name }}' })],
    [day("yyyy-MM-dd'T'HH:mm")],
    [dates({ format: '{{ $vars.format }}', locale: '{{ $vars.locale }}' })],
    [dates({ locale: 'pt-BR' })],
    [http({}, { retry: { maxAttempts: 2 } })],
    [set({}, { retry: { maxAttempts: 2 }, timeoutSeconds: 1 })],
    [{ ...script('return 1'), retry: { maxAttempts: 2 } }],
    [script('// $json\nconst $json = $input; return [$json, $input.$node, "$(x)"]')],
    [script('return $input.map(($item) => $item.id)')],
    [http({}, { mock: { status: 200, headers: {}, body: null } })],
    [http({}, { mock: [1] })],
    [http({}, { onError: 'continue', mock: { error: { message: 'x', code: 'HTTP_STATUS' } } })],
    [http({ headers: { authorization: 'Bearer {{ $vars.token }}' } })],
    [http({ headers: { authorization: 'Bearer <your token>', 'x-api-key': 'your-key' } })],
    [set({ password: '{{ $trigger.password }}', apiKey: 'API key', labels: { password: 'Password of the user' } })],
    [set({ aws: 'AKIAIOSFODNN7EXAMPLE', stripe: 'sk_live_xxxxxxxxxxxxxxxxxxxx', text: `a${'.a-b_c'.repeat(9)}` })],
    [{ type: 'human', parameters: { title: 'x', schema: { properties: { password: { type: 'string' } } } } }],
  ])('and none %j', (node) => {
    expect(warningsOf(node)).toEqual([]);
  });
});

describe('a trigger has a warning', () => {
  const ofTrigger = (type: string, parameters: JsonObject, rest: JsonObject = {}) =>
    warningsAbout([{ id: 'on', type, parameters, ...rest }], []).map(({ code, path }) => `${code} ${path}`);

  it.each([
    ['*/90 * * * *', true],
    ['0 */25 * * *', true],
    ['0 0 1-31/40 * *', true],
    ['5/61,7 * * * * *', true],
    ['*/60 * * * *', false],
    ['*/15 8-18/2 * 2,*/3 1-5', false],
  ])('about steps of a schedule: %s %j', (cron, warns) => {
    expect(ofTrigger('trigger.schedule', { cron })).toEqual(
      warns ? ['CRON_STEP_TOO_LARGE nodes[0].parameters.cron'] : [],
    );
  });

  it('if it is a webhook whose sender proves nothing', () => {
    const open = ['WEBHOOK_IS_OPEN nodes[0].parameters'];
    const credentialId = '01890a5d-ac96-774b-bcce-b302099a8057';
    expect(ofTrigger('trigger.webhook', {})).toEqual(open);
    expect(ofTrigger('trigger.webhook', { authentication: 'none' })).toEqual(open);
    expect(ofTrigger('trigger.webhook', {}, { disabled: true })).toEqual([]);
    // It is stored apart from the definition, encrypted.
    expect(ofTrigger('trigger.webhook', { secret: `ghp_${'aB3'.repeat(12)}` })).toEqual([]);
    expect(ofTrigger('trigger.webhook', { authentication: 'bearer' }, { credentialId })).toEqual([]);
    expect(ofTrigger('trigger.webhook', { allowedOrigins: ['https://example.com'] })).toEqual([]);
  });
});

describe('a node has a warning about its place in the graph', () => {
  const merge = (id: string): JsonObject => ({ id, type: 'merge' });
  const reads = (id: string, ...read: string[]): JsonObject => ({
    id,
    ...set(Object.fromEntries(read.map((name) => [name, `{{ $nodes.${name}.output }}`]))),
  });
  const codes = (nodes: readonly object[], ...paths: string[]) =>
    warningsAbout(nodes, edges(...paths)).map(({ code, nodeId }) => `${nodeId ?? ''} ${code}`);

  it('if no edge leads to it; those behind it have none', () => {
    const off = { ...merge('off'), disabled: true };
    expect(codes([start, merge('alone'), merge('behind'), off], 'alone -> behind')).toEqual(['alone NODE_UNREACHABLE']);
  });

  it('if it reads a node that runs after it', () => {
    const nodes = [start, reads('early', 'late', 'start'), merge('between'), reads('late', 'early')];
    expect(codes(nodes, 'start -> early', 'early -> between', 'between -> late')).toEqual([
      'early REFERENCE_NOT_BEFORE',
    ]);
  });

  it('if it reads a node that runs only after another trigger', () => {
    const nodes = [
      start,
      { id: 'other', type: 'trigger.manual' },
      reads('a', 'b'),
      merge('b'),
      reads('both', 'a', 'b'),
    ];
    const paths = ['start -> a', 'other -> b', 'a -> both', 'b -> both'];
    expect(codes(nodes, ...paths)).toEqual(['a REFERENCE_NOT_BEFORE']);
  });

  it('but not if it reads a node of a parallel branch, or one around its loop', () => {
    const nodes = [start, merge('a'), reads('b', 'a'), { id: 'each', type: 'loop', parameters: { items: [] } }];
    const inner = reads('inner', 'each', 'b');
    expect(codes([...nodes, inner], 'start -> a', 'start -> b', 'b -> each', 'each.body -> inner')).toEqual([]);
  });

  it('with 100 triggers and readers, too', () => {
    const triggers = Array.from({ length: 100 }, (_, n) => ({ id: `t${n}`, type: 'trigger.manual' }));
    const nodes = triggers.flatMap(({ id }, n) => [merge(`m${n}`), reads(`r${n}`, `m${n}`, id, `m${(n + 1) % 100}`)]);
    const paths = triggers.flatMap(({ id }, n) => [`${id} -> m${n}`, `m${n} -> r${n}`]);
    const found = codes([...triggers, ...nodes], ...paths);
    expect(found).toEqual(triggers.map((_, n) => `r${n} REFERENCE_NOT_BEFORE`));
  });

  it('if it always fails, and edges leave it', () => {
    const fail = (rest: JsonObject = {}) => ({ id: 'fail', type: 'fail', parameters: { message: 'no' }, ...rest });
    const branch = fail({ onError: 'branch' });
    expect(codes([start, fail(), merge('a')], 'start -> fail', 'fail -> a')).toEqual(['fail NODE_NEVER_CONTINUES']);
    expect(codes([start, fail({ onError: 'continue' }), merge('a')], 'start -> fail', 'fail -> a')).toEqual([]);
    expect(codes([start, branch, merge('a')], 'start -> fail', 'fail.error -> a')).toEqual([]);
    expect(codes([start, fail()], 'start -> fail')).toEqual([]);
  });

  it('if its failures go to an output that leads nowhere', () => {
    const branch = { onError: 'branch' };
    const nodes = [start, { ...merge('a'), ...branch }, { ...merge('off'), ...branch, disabled: true }, merge('b')];
    const handled = { ...merge('handled'), ...branch };
    const paths = ['start -> a', 'a -> b', 'start -> handled', 'handled.error -> b', 'start -> off'];
    expect(codes([...nodes, handled], ...paths)).toEqual(['a ERROR_BRANCH_MISSING']);
  });
});

/** Parameters of the types whose nodes heed `retry` and `timeoutSeconds` in part or not at all. */
const UNHEEDED: Readonly<Record<string, JsonObject>> = {
  approval: { message: 'Well?' },
  human: { title: 'Well?', schema: {} },
  lock: { key: 'a' },
  loop: { items: [] },
  try: {},
  wait: { seconds: 1 },
  'wait.event': { name: 'a' },
  workflow: { workflowId: '01890a5d-ac96-774b-bcce-b302099a8057' },
};

describe('a node has a warning about its settings', () => {
  const textsOf = (node: JsonObject, ...handles: string[]) =>
    warningsOf(node, ...handles).map(({ path, message }) => `${path}: ${message}`);

  it.each(Object.entries(UNHEEDED))('retry and timeoutSeconds that %s does not heed', (type, parameters) => {
    const settings = { retry: { maxAttempts: 2 }, timeoutSeconds: 1 };
    expect(textsOf({ type, parameters, ...settings })).toEqual([
      expect.stringMatching(/^nodes\[1\]\.retry: retry (does not|has no effect|repeats the start)/),
      expect.stringMatching(/^nodes\[1\]\.timeoutSeconds: timeoutSeconds does not limit/),
    ]);
    expect(textsOf({ type, parameters, ...settings, disabled: true })).toEqual([]);
    expect(textsOf({ type, parameters })).toEqual([]);
  });

  it('for every type that waits or has a body, and for no other', () => {
    const rests = [...types.values()].filter(({ type, resume, restSeconds }) => {
      return resume !== undefined || restSeconds !== undefined || type === 'loop' || type === 'try';
    });
    expect(rests.map(({ type }) => type).sort()).toEqual(Object.keys(UNHEEDED).sort());
    const parameters = { workflowId: '01890a5d-ac96-774b-bcce-b302099a8057', waitForCompletion: false };
    expect(textsOf({ type: 'workflow', parameters, retry: { maxAttempts: 2 }, timeoutSeconds: 1 })).toEqual([]);
    expect(textsOf(http({}, { retry: { maxAttempts: 2 } }))).toEqual([]);
  });

  const ask = { type: 'approval', parameters: { message: 'Well?' } };

  it.each<JsonObject>([{ disabled: true }, { onError: 'continue' }])(
    'if it takes none of its outputs (%j)',
    (settings) => {
      const [name = ''] = Object.keys(settings);
      const none = 'it takes none of its outputs, because each is a choice that it has not made';
      const warnings = textsOf({ ...ask, ...settings }, 'approved');
      expect(warnings).toEqual([expect.stringContaining(`nodes[1].${name}: `)]);
      expect(warnings.join()).toContain(none);
      expect(textsOf({ ...ask, ...settings })).toEqual([]);
      const cases = [{ handle: 'a', equals: 1 }];
      expect(textsOf({ type: 'switch', parameters: { value: 1, cases }, ...settings }, 'a')).toEqual([]);
      expect(textsOf(set({}, settings))).toEqual([]);
    },
  );

  it('if its time limits are longer than that of the run', () => {
    const nodes = [
      start,
      { id: 'call', ...http({}, { timeoutSeconds: 7_200 }) },
      { id: 'rest', type: 'wait', parameters: { seconds: 86_400 } },
    ];
    const ofRun = (settings?: JsonObject) =>
      warningsAbout(nodes, edges('start -> call', 'call -> rest'), settings).map(({ message }) => message);
    const own = 'longer than the limit of its run, 3600 s';
    expect(ofRun()).toEqual([`Its time limit, 7200 s, is ${own} (the default).`]);
    expect(ofRun({ timeoutSeconds: 3_600 })).toEqual([
      `Its time limit, 7200 s, is ${own} (settings.timeoutSeconds).`,
      `Its wait, up to 86400 s, is ${own} (settings.timeoutSeconds).`,
    ]);
    expect(ofRun({ timeoutSeconds: 86_400 })).toEqual([]);
  });
});

it('lists 100 warnings at most, in the order of the nodes, and says that there are more', () => {
  const nodes = Array.from({ length: 130 }, (_, n) => ({ id: `n${n}`, ...http({}, { onError: 'branch' }) }));
  const warnings = warningsAbout(
    [start, ...nodes],
    nodes.map(({ id }) => ({ source: 'start', target: id })),
  );
  expect(warnings).toHaveLength(MAX_WARNINGS + 1);
  expect(warnings.map(({ nodeId }) => nodeId)).toEqual([...nodes.slice(0, 100).map(({ id }) => id), undefined]);
  expect(warnings.at(-1)).toMatchObject({ code: 'MORE_WARNINGS', path: '' });
});

it('lists no more of them for one node', () => {
  const fields = { list: Array.from({ length: 50_000 }, () => ({ password: 'hunter2!' })) };
  expect(warningsOf(set(fields))).toHaveLength(MAX_WARNINGS + 1);
});

it('a rule that throws is left out, and the last warning says that there may be more', () => {
  const nodes = [start, { id: 'node', ...http({}, { onError: 'branch' }) }];
  const compiled = compileWorkflow({ nodes, edges: edges('start -> node') }, broken());
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  const codes = findWarnings(compiled.workflow).map(({ code }) => code);
  expect(codes).toEqual(['ERROR_BRANCH_MISSING', 'MORE_WARNINGS']);
});

/** The node types, one of which cannot check its parameters. */
function broken() {
  const type = types.get('http');
  if (!type) throw new Error('there is no type "http"');
  const warn = (): never => {
    throw new Error('broken');
  };
  return new Map([...types, ['http', { ...type, warn }]]);
}

describe('warnings are found in every valid definition', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(
      /^(={{ \$input\.item\.json }}|eyJ[\w.-]{0,50}|-----BEGIN [A-Z ]{0,40}|gh[ps]_\w{0,40}|\{\{ \$nodes\.n\d\.output }})$/,
    ),
  );
  const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(text, fc.constantFrom('password', 'authorization')), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  const settings = fc.record(
    {
      disabled: fc.boolean(),
      retry: fc.record({ maxAttempts: fc.integer({ min: 1, max: 10 }) }),
      timeoutSeconds: fc.integer({ min: 1, max: 86_400 }),
      onError: fc.constantFrom('stop', 'continue'),
      mock: value,
    },
    { requiredKeys: [] },
  );

  /** Checks that no rule has failed, and that each warning is about a node and says what to do. */
  function check(definition: object): boolean {
    const compiled = compileWorkflow(definition, types);
    if ('issues' in compiled) return false;
    for (const { code, nodeId, path, message, remedy } of findWarnings(compiled.workflow)) {
      expect(code).not.toBe('MORE_WARNINGS');
      expect([nodeId, path, message, remedy]).not.toContain(undefined);
      expect(message.length).toBeLessThan(1_000);
      expect(path.length).toBeLessThan(400);
    }
    return true;
  }

  it.each([...types.values()])('with $type', (type) => {
    if (!type.example) throw new Error(`${type.type} has no example`);
    const { nodes, edges: paths, ...rest } = type.example.definition;
    fc.assert(
      fc.property(fc.array(settings, { minLength: nodes.length, maxLength: nodes.length }), (changes) => {
        // An edge at "error" needs the setting of the example.
        const changed = nodes.map(({ onError, ...node }, index) => ({
          ...node,
          ...changes[index],
          ...(onError && { onError }),
        }));
        expect(check({ ...rest, nodes: changed, edges: paths })).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('with any values and edges', () => {
    const node = fc.record({ fields: fc.dictionary(fc.string(), value, { maxKeys: 4 }), from: fc.array(fc.nat(9)) });
    let valid = 0;
    fc.assert(
      fc.property(fc.array(node, { maxLength: 10 }), (drafts) => {
        const nodes = drafts.map(({ fields }, n) => ({ id: `n${n}`, ...set(fields) }));
        const paths = drafts.flatMap(({ from }, n) =>
          [...new Set(from)].flatMap((source) => (source < n ? [{ source: `n${source}`, target: `n${n}` }] : [])),
        );
        if (check({ nodes: [start, ...nodes], edges: paths })) valid += 1;
      }),
      { numRuns: 300 },
    );
    expect(valid).toBeGreaterThan(30);
  });

  it('with as many nodes, edges and texts as there may be', () => {
    const hostile = `${'eyJ'.repeat(200)}.${'-----BEGIN '.repeat(50)}`;
    const ids = Array.from({ length: 4_999 }, (_, n) => `n${n}`);
    const nodes = ids.map((id, n) => ({
      id,
      ...set(
        { password: hostile, a: `{{ $nodes.${ids[Math.max(0, n - 1)] ?? ''}.output }}` },
        { disabled: n % 2 === 0 },
      ),
    }));
    const paths = ids.flatMap((target, n) =>
      [1, 2, 3, 4].flatMap((back) => (n >= back ? [{ source: ids[n - back] ?? '', target }] : [])),
    );
    expect(check({ nodes: [start, ...nodes], edges: [{ source: 'start', target: 'n0' }, ...paths] })).toBe(true);
  });
});

it('a definition that names a node or a type which does not exist is refused with a similar name', () => {
  const nodes = [start, { id: 'check', ...set({ a: '{{ $nodes.strat.output }}' }) }, { id: 'call', type: 'htpp' }];
  const compiled = compileWorkflow({ nodes, edges: edges('start -> chekc') }, types);
  expect('issues' in compiled && compiled.issues.map(({ message }) => message)).toEqual([
    '"htpp" is not a node type (did you mean "http"?)',
    'there is no node "chekc" (did you mean "check"?)',
    '$nodes.strat: there is no such node (did you mean "start"?)',
  ]);
});
