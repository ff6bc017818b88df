// Records what nodes of services send, and which items they make of given responses, without the services:
//   node packages/import-n8n/record/connectors.mjs <folder with n8n>
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, version } from './n8n.mjs';
import { CALLS } from './calls.mjs';

/** The functions of n8n that send requests; most get the type of a credential first. */
const SENDERS = [
  ...['request', 'httpRequest', 'requestWithAuthentication', 'httpRequestWithAuthentication'],
  ...['requestOAuth1', 'requestOAuth2'],
];

/** Returns what a request in several parts says about its file. */
function metadataOf(body) {
  return { metadata: JSON.parse(/\{.*\}/.exec(body.toString())[0]) };
}

/** Returns a request as it would be sent. */
function shown({ method = 'GET', uri, url = uri, baseURL = '', qs = {}, body, form }) {
  const at = new URL(baseURL + url);
  for (const [name, value] of Object.entries(qs)) {
    for (const each of [value].flat()) if (each !== undefined) at.searchParams.append(name, String(each));
  }
  at.searchParams.sort();
  // A file that is sent with what describes it is not JSON.
  const content = Buffer.isBuffer(body) ? metadataOf(body) : (body ?? form);
  const isEmpty = content === undefined || Object.keys(content).length === 0;
  return { method, url: at.href, ...(!isEmpty && { body: content }) };
}

const rows = [];
for (const { type, version: typeVersion, parameters, items = [{}], responses, file } of CALLS) {
  const { context, node } = prepare(type, typeVersion, parameters, items);
  if (file) for (const item of context.getInputData()) item.binary = { data: file };
  const sent = [];
  const send = async (...all) => {
    const options = all.find((each) => typeof each === 'object' && each !== null);
    sent.push(JSON.parse(JSON.stringify(shown(options))));
    const given = structuredClone(responses[sent.length - 1] ?? responses.at(-1));
    const response = options.encoding === 'arraybuffer' ? Buffer.from(given) : given;
    return options.resolveWithFullResponse || options.returnFullResponse
      ? { statusCode: 200, headers: {}, body: response }
      : response;
  };
  for (const name of SENDERS) context.helpers[name] = send;
  context.getCredentials = async () => ({ accessToken: 'token', oauthTokenData: { access_token: 'token' } });
  let outputs;
  try {
    const ran = await node.execute.call(context);
    outputs = ran.map((each) => each.map(({ json }) => json));
  } catch (error) {
    if (process.env.SHOW) console.log(type, JSON.stringify(parameters), error);
    outputs = 'fails';
  }
  rows.push(
    JSON.stringify({ type, version: typeVersion, parameters, items, responses, ...(file && { file }), sent, outputs }),
  );
}
const matrix = `{\n  "n8n": ${JSON.stringify(version)},\n  "rows": [\n    ${rows.join(',\n    ')}\n  ]\n}\n`;
writeFileSync(join(import.meta.dirname, '../matrices/connectors.json'), matrix);
console.log(rows.length, 'calls');
if (process.env.SHOW) for (const row of rows) console.log(row);
