// Agents with tools, for agents.mjs. Development only.

const HTTP = 'http://127.0.0.1:47113';
const DEFINED = { promptType: 'define', text: '=Ask {{ $json.chatInput }}' };
const from = (name, description, type, rest = '') =>
  `/*n8n-auto-generated-fromAI-override*/ $fromAI('${name}', \`${description}\`, '${type}'${rest})`;

const http = (name, parameters, version = 4.2) => ({ name, type: 'httpRequestTool', version, parameters });
const weather = http('Get Weather', {
  toolDescription: 'Returns the weather',
  url: `=${HTTP}/weather/{{ $fromAI('city', 'The city', 'string') }}`,
  sendQuery: true,
  queryParameters: {
    parameters: [
      { name: 'days', value: `={{ ${from('days', 'How many days', 'number', ', 3')} }}` },
      { name: 'from', value: '={{ $json.city }}' },
      { name: 'split', value: "={{ $('Split').item.json.city }}" },
    ],
  },
  options: {},
});
const post = http('Post_It', {
  method: 'POST',
  url: `${HTTP}/notes`,
  sendBody: true,
  specifyBody: 'json',
  jsonBody: `={{ JSON.stringify({ text: $fromAI('text', 'What {it} says'), isNew: $fromAI('isNew', '', 'boolean'), more: $fromAI('more', 'Other data', 'json') }) }}`,
  options: {},
});
const think = { name: 'Think', type: 'toolThink', version: 1, parameters: {} };
const thinkNamed = { name: 'Think hard', type: 'toolThink', version: 1.1, parameters: { description: 'Thinks' } };
const code = (version, parameters = {}) => ({
  name: 'Upper Case',
  type: 'toolCode',
  version,
  parameters: { name: 'upper', description: 'Writes in capitals', jsCode: 'return query.toUpperCase()', ...parameters },
});
const counted = code(1.3, {
  jsCode: 'total = query.a + query.b.length;\nreturn total',
  specifyInputSchema: true,
  jsonSchemaExample: '{ "a": 1, "b": ["x"] }',
});
const other = (version, parameters = {}) => ({
  name: 'Other Work',
  type: 'toolWorkflow',
  version,
  parameters: {
    name: 'other',
    description: 'Does other work',
    workflowId: version < 1.2 ? 'w2' : { __rl: true, mode: 'list', value: 'w2', cachedResultName: 'Other' },
    ...parameters,
  },
});
const inputs = (value, schema = Object.keys(value)) => ({
  workflowInputs: {
    mappingMode: 'defineBelow',
    value,
    schema: schema.map((id) => ({ id, displayName: id, required: false, display: true, type: 'string' })),
  },
});
const call = (tool, given) => ({ tool, arguments: given });
const agent = (typeVersion, tools, calls, rest = {}) => ({
  ...{ typeVersion, tools, calls, response: 'Fine.', parameters: DEFINED, returned: [{ a: 1 }, { a: 2 }] },
  ...rest,
});

const MANY = [
  { chatInput: 'a', city: 'Bern' },
  { chatInput: 'b', city: 'Basel' },
];
const PARSER = {
  ...{ name: 'Parser', kind: 'ai_outputParser', type: 'outputParserStructured', version: 1.3 },
  parameters: { jsonSchemaExample: '{ "a": 1 }' },
};

export const AGENTS = [
  ...[1.7, 2.1, 2.2, 3].flatMap((version) => [
    agent(version, [weather], [[call('Get_Weather', { city: 'Oslo', days: 2 })]], { http: { sunny: true } }),
    agent(version, [weather], [[call('Get_Weather', { city: 'Oslo' })]], { http: [{ day: 1 }, { day: 2 }] }),
    agent(version, [post, weather], [[call('Post_It', { text: 'x', isNew: true, more: { a: [1] } })]]),
    agent(version, [think], [[call('thinking_tool', { input: 'Hm' })]]),
    agent(version, [code(1.1)], [[call('upper', { input: 'abc' })]]),
    agent(version, [other(2.2)], [[call('Other_Work', { input: 'abc' })]]),
    agent(
      version,
      [other(2.2, inputs({ a: `={{ ${from('a', 'An a', 'string')} }}`, b: '={{ $json.city }}', c: 'c' }))],
      [[call('Other_Work', { a: 'x' })]],
    ),
  ]),
  agent(2.2, [thinkNamed], [[call('Think_hard', { input: 'Hm' })], [call('Think_hard', { input: 'Oh' })]]),
  agent(2.2, [counted], [[call('Upper_Case', { a: 1, b: ['x', 'y'] })]]),
  agent(2.2, [other(1.1)], [[call('other', { input: 'abc' })]]),
  agent(
    2.2,
    [other(1.3, { fields: { values: [{ name: 'city', stringValue: '={{ $json.city }}' }] } })],
    [[call('other', { input: 'abc' })]],
  ),
  agent(
    2.2,
    [other(1.3, { specifyInputSchema: true, jsonSchemaExample: '{ "a": "x" }' })],
    [[call('other', { a: 'y' })]],
  ),
  agent(2.2, [other(2)], [[call('other', { input: 'abc' })]]),
  agent(2.2, [weather], [[call('Get_Weather', { city: 'Oslo', days: 1 })]], {
    parameters: { ...DEFINED, options: { systemMessage: '=Be kind to {{ $json.city }}', maxIterations: 4 } },
  }),
  agent(2.2, [weather], [], { parameters: {} }),
  agent(2.2, [think, weather], [], { items: MANY }),
  agent(3, [counted], [[call('Upper_Case', { a: 1, b: ['x', 'y'] })]]),
  agent(3, [other(2)], [[call('other', { input: 'abc' })]]),
  agent(
    2.2,
    [weather],
    [[call('Get_Weather', { city: 'Oslo', days: 1 })], null, [call('Get_Weather', { city: 'Rom', days: 2 })]],
    {
      items: MANY,
    },
  ),
  agent(2.2, [weather], [], {
    parts: [PARSER],
    parameters: { ...DEFINED, hasOutputParser: true },
    response: '{"output":{"a":1}}',
  }),
];
