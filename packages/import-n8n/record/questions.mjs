// What models are asked by nodes of n8n, for models.mjs. Development only.

const ONE = [{ text: 'Hello {you}', chatInput: 'Hi', input: 'In', chat_input: 'Chat' }];
const MANY = [
  { text: 'a', chatInput: 'b' },
  { text: 'c', chatInput: 'd' },
];
const TEXT = '={{ $json.text }}';
const JSON_TEXT = '{"a": [1], "b": "x"}';
const FENCED = `\`\`\`json\n${JSON_TEXT}\n\`\`\``;

const model = (options = {}) => ({
  ...{ name: 'Model', kind: 'ai_languageModel', type: 'lmChatOpenAi', version: 1.2 },
  parameters: { model: { mode: 'list', value: 'small' }, options },
});
const parser = (version, parameters = {}) => ({
  ...{ name: 'Parser', kind: 'ai_outputParser', type: 'outputParserStructured', version, parameters },
});
const asks = (type, typeVersion, parameters, rest = {}) => ({
  ...{ type, typeVersion, parameters, items: ONE, parts: [model()], response: ' Fine.\n', ...rest },
});
const message = (type, text) => ({ type: `${type}MessagePromptTemplate`, message: text });
const EXAMPLE = {
  jsonSchemaExample: '{ "a": [1], "b": "x", "c": { "d": null, "e": [{ "f": true }, { "f": false }] } }',
};
const FITS = '{"output":{"a":[1],"b":"x","c":{"d":null,"e":[{"f":true}]}}}';
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const MANUAL = { schemaType: 'manual', inputSchema: JSON.stringify(SCHEMA) };
const LIST = { schemaType: 'manual', inputSchema: JSON.stringify({ type: 'array', items: SCHEMA }) };
const ATTRIBUTES = {
  attributes: {
    attributes: [
      { name: 'a', type: 'number', description: 'A number', required: true },
      { name: 'b', description: 'A text' },
      { name: 'c', type: 'boolean', description: 'A choice' },
      { name: 'd', type: 'date', description: 'A day' },
    ],
  },
};
const CATEGORIES = { categories: { categories: [{ category: 'x', description: 'an x' }, { category: 'y' }] } };
const said = (content, role) => ({ content, ...(role && { role }) });

export const QUESTIONS = [
  ...[1, 1.1, 1.2, 1.3].map((version) => asks('chainLlm', version, {})),
  ...[1, 1.3].map((version) => asks('chainLlm', version, { prompt: `=About: {{ $json.text }}` })),
  ...[1.4, 1.5, 1.6, 1.7, 1.9].flatMap((version) => [
    asks('chainLlm', version, {}),
    asks('chainLlm', version, { promptType: 'define', text: TEXT }),
    asks('chainLlm', version, { promptType: 'define', text: 'Plain {text}' }, { items: MANY }),
    asks(
      'chainLlm',
      version,
      { promptType: 'define', text: TEXT },
      {
        ...{ parts: [model({ responseFormat: 'json_object' })], response: JSON_TEXT },
      },
    ),
    asks(
      'chainLlm',
      version,
      { promptType: 'define', text: TEXT },
      {
        ...{ parts: [model({ responseFormat: 'json_object' })], response: FENCED },
      },
    ),
  ]),
  asks('chainLlm', 1.7, {
    ...{ promptType: 'define', text: TEXT },
    messages: {
      messageValues: [{ message: 'Be {kind}' }, message('Human', '=Q {{ $json.chatInput }}'), message('AI', 'A')],
    },
  }),
  ...[1.4, 1.7, 1.9].flatMap((version) => [
    ...[1.2, 1.3].map((each) =>
      asks(
        'chainLlm',
        version,
        { promptType: 'define', text: TEXT, hasOutputParser: true },
        {
          ...{ parts: [model(), parser(each, EXAMPLE)], response: FITS },
        },
      ),
    ),
    asks(
      'chainLlm',
      version,
      { promptType: 'define', text: TEXT, hasOutputParser: true },
      {
        ...{ parts: [model(), parser(1.3, MANUAL)], response: '```json\n{"output":{"a":1}}\n```', items: MANY },
      },
    ),
    asks(
      'chainLlm',
      version,
      { promptType: 'define', text: TEXT, hasOutputParser: true },
      {
        ...{ parts: [model(), parser(1.3, LIST)], response: '{"output":[{"a":1},{"a":2}]}' },
      },
    ),
  ]),
  ...[1.6, 1.7, 1.8, 1.9, 2, 2.2, 3].flatMap((version) => [
    asks('agent', version, {}),
    asks('agent', version, { promptType: 'define', text: TEXT }, { items: MANY }),
    asks('agent', version, {
      promptType: 'define',
      text: TEXT,
      options: { systemMessage: '=Be {kind} to {{ $json.text }}' },
    }),
    asks('agent', version, { promptType: 'define', text: TEXT, options: { returnIntermediateSteps: true } }),
  ]),
  ...[1, 1.1, 1.2].flatMap((version) => [
    asks('informationExtractor', version, { text: TEXT, ...ATTRIBUTES }, { response: '{"a":1,"b":"x"}' }),
    asks(
      'informationExtractor',
      version,
      { text: TEXT, schemaType: 'fromJson', jsonSchemaExample: '{"a":1}' },
      {
        response: '{"a":1}',
      },
    ),
    asks('informationExtractor', version, { text: TEXT, ...MANUAL }, { response: '{"a":1}', items: MANY }),
    asks('informationExtractor', version, { text: '={{ $json.none }}', ...ATTRIBUTES }, { response: '{"a":1}' }),
    asks('informationExtractor', version, { text: TEXT }),
  ]),
  ...[1, 1.1].flatMap((version) => [
    asks('textClassifier', version, { inputText: TEXT, ...CATEGORIES }, { response: '{"x":false,"y":true}' }),
    asks('textClassifier', version, { inputText: TEXT, ...CATEGORIES }, { response: '{"x":false,"y":false}' }),
    asks(
      'textClassifier',
      version,
      { inputText: TEXT, ...CATEGORIES, options: { multiClass: true } },
      {
        response: '{"x":true,"y":true}',
      },
    ),
    asks(
      'textClassifier',
      version,
      { inputText: TEXT, ...CATEGORIES, options: { fallback: 'other' } },
      {
        ...{ response: '{"x":false,"y":false,"fallback":true}', items: MANY },
      },
    ),
    asks('textClassifier', version, { inputText: TEXT }),
  ]),
  ...[1, 1.4, 1.8].flatMap((version) => {
    const modelId = { __rl: true, mode: 'list', value: 'small' };
    const of = (values, rest = {}, more = {}) =>
      asks('openAi', version, { modelId, messages: { values }, ...rest }, { parts: [], ...more });
    return [
      of([said(TEXT)]),
      of([said('Be kind', 'system'), said(TEXT, 'user')], {}, { items: MANY }),
      of([said('Q', 'user'), said('A', 'assistant'), said(TEXT)], { options: { maxTokens: 10, temperature: 0.5 } }),
      of([said(TEXT)], { jsonOutput: true }, { response: JSON_TEXT }),
      of([said(TEXT)], { jsonOutput: true }),
      of([said('')]),
    ];
  }),
  ...[2, 2.3].flatMap((version) => {
    const modelId = { __rl: true, mode: 'list', value: 'small' };
    const of = (values, rest = {}, more = {}) =>
      asks('openAi', version, { modelId, responses: { values }, ...rest }, { parts: [], ...more });
    return [
      of([said(TEXT)]),
      of([said('Be kind', 'system'), said(TEXT, 'user')], {}, { items: MANY }),
      of([said(TEXT)], { options: { textFormat: { textOptions: { type: 'json_object' } } } }, { response: JSON_TEXT }),
    ];
  }),
];
