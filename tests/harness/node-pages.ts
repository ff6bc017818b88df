import { handlesFor, type JsonObject, type JsonValue } from '@deckhand/contracts';
import type { CredentialUse, NodeExample, NodeType } from '@deckhand/engine';
import { nodeErrorTable } from './error-tables.ts';
import { exampleOf } from './node-examples.ts';
import { cell, code, type Schema, typeText } from './schema-text.ts';

const ROLES: Readonly<Record<NodeType['category'], string>> = {
  trigger: 'Trigger',
  data: 'Data',
  flow: 'Flow',
  action: 'Action',
  person: 'Person',
};

/** Returns the page of a node type: its description, parameters and example. */
export function nodePage(type: NodeType, sample: JsonValue | undefined): string {
  const example = exampleOf(type);
  const parameters = example.definition.nodes.find((node) => node.type === type.type)?.parameters ?? {};
  const rows = parameterRows(type.parameters, '');
  const table = ['| parameter | type | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
  const sections = [
    `# ${type.title}`,
    `\`${type.type}\` · ${ROLES[type.category]}`,
    type.description,
    `Search words: ${type.keywords.join(', ')}`,
    '## Parameters',
    rows.length > 0 ? table : 'None.',
    ...(type.credential ? ['## Credential', credentialText(type.credential)] : []),
    '## Outputs',
    outputsText(type, parameters),
    '## Errors',
    errorsText(type),
    ...(sample === undefined ? [] : ['## In sandbox mode', sandboxText(sample)]),
    '## Example',
    exampleText(example),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** The list of all pages. */
export function nodeIndex(types: readonly NodeType[]): string {
  const rows = types.map(({ type, title, category, description }) => {
    // A colon or a period in code ends no sentence.
    const [sentence = ''] = /^(?:`[^`]*`|[^`])*?[.:](?= |$)/s.exec(description) ?? [];
    return `| [\`${type}\`](${type}.md) | ${title} | ${ROLES[category]} | ${cell(sentence.replace(/:$/, '.'))} |`;
  });
  return `# Node types

Each page is generated from the source of the node type, and tests run its example. Any text parameter may contain
[expressions](../expressions.md), except in triggers and in the source of \`code\`. The other settings of every node
(\`retry\`, \`timeoutSeconds\`, \`onError\`, \`disabled\`, \`mock\`) are part of the [definition](../definition.md), not of its type.
A delay before the next attempt (\`retry\`) of more than 5 s occupies no worker.

| type | title | kind | in a sentence |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** Returns a row per parameter, and rows for members of objects and of lists of objects. */
function parameterRows({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const fallback = required.includes(name) ? 'required' : schema.default === undefined ? '' : code(schema.default);
    const row = `| \`${path}\` | ${cell(typeText(schema))} | ${cell(fallback)} | ${cell(schema.description ?? '')} |`;
    return [row, ...parameterRows(schema, `${path}.`), ...parameterRows(schema.items ?? {}, `${path}[].`)];
  });
}

function outputsText(type: NodeType, parameters: JsonObject): string {
  const own = handlesFor(type, parameters);
  if (own.length === 0) return 'One, without a name.';
  const list = own.map((handle) => `\`${handle}\``).join(', ');
  const names = type.handlesBy === null ? `${list}.` : `They depend on the parameters; in the example below: ${list}.`;
  const way =
    type.undecidedHandle === undefined ? 'none of them, because each is a choice' : code(type.undecidedHandle);
  return `${names} While it is disabled, or after an error with \`onError: "continue"\`, it takes ${way}.`;
}

function credentialText({ types, needed }: CredentialUse): string {
  const list = types.map(code).join(', ');
  const need = needed === undefined ? 'Optional' : needed({}).length > 0 ? 'Required' : 'Required by some parameters';
  return `${need}: \`credentialId\` names a credential of the workspace, of type ${list}. Its secret never shows in a run.`;
}

function errorsText({ isTrigger, errors, credential }: NodeType): string {
  if (isTrigger) return 'None: a trigger returns what started the run.';
  const others = `${errors.length > 0 ? 'Others are' : 'Only'} those that [every node](../errors.md#errors-of-nodes) can have`;
  const ofCredential = credential ? `, and those of [credentials](../errors.md#errors-of-nodes)` : '';
  const rest = `${others}${ofCredential}. \`onError\` decides how the run goes on.`;
  if (errors.length === 0) return rest;
  return [nodeErrorTable(errors, '../'), rest].join('\n\n');
}

function sandboxText(sample: JsonValue): string {
  return `It has no effects outside. It returns its \`mock\`, or without one:\n\n${block(JSON.stringify(sample, undefined, 2))}`;
}

function exampleText({ trigger, definition, outputs, skipped = [], result, error }: NodeExample): string {
  const list = (values: readonly unknown[]): string =>
    values.map((value) => `    ${JSON.stringify(value)}`).join(',\n');
  const text = `{\n  "nodes": [\n${list(definition.nodes)}\n  ],\n  "edges": [\n${list(definition.edges)}\n  ]\n}`;
  const rows = [
    ...Object.entries(outputs).map(([id, output]) => `| \`${id}\` | ${cell(code(output))} |`),
    ...skipped.map((id) => `| \`${id}\` | skipped |`),
  ];
  const ends = [
    ...(result ? [`The run's result: ${code(result)}`] : []),
    ...(error ? [`The run fails with \`${error.code}\`: ${error.message}`] : []),
  ];
  const table = ['| node | output |', '| --- | --- |', ...rows].join('\n');
  return [`Started with \`$trigger\` = ${code(trigger)}`, block(text), table, ...ends].join('\n\n');
}

function block(json: string): string {
  return `\`\`\`json\n${json}\n\`\`\``;
}
