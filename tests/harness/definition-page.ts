import { cell, code, type Schema, typeText } from './schema-text.ts';

const INTRODUCTION = `# The definition of a workflow

A definition is what a version of a workflow holds: the \`definition\` of \`POST /api/workflows\` and of
\`POST /api/workflows/{id}/versions\`, and \`nodes\`, \`edges\`, \`settings\` and \`notes\` of [files](workflows-as-code.md).
This page is generated from the schemas by which they are checked. Other members are refused.

\`\`\`json
{
  "nodes": [
    { "id": "start", "type": "trigger.manual" },
    {
      "id": "charge",
      "type": "http",
      "parameters": { "method": "POST", "url": "https://api.example.com/charges", "body": "{{ $trigger }}" },
      "retry": { "maxAttempts": 3 },
      "timeoutSeconds": 30,
      "onError": "branch"
    },
    { "id": "refuse", "type": "fail", "parameters": { "message": "{{ $input.error.message }}" } }
  ],
  "edges": [
    { "source": "start", "target": "charge" },
    { "source": "charge", "sourceHandle": "error", "target": "refuse" }
  ],
  "settings": { "timeoutSeconds": 3600, "rateLimit": { "max": 100, "windowSeconds": 60 } }
}
\`\`\`

The \`parameters\` of a node are those of its [type](nodes/README.md): also where a workflow starts, by
[\`trigger.manual\`](nodes/trigger.manual.md), [\`trigger.webhook\`](nodes/trigger.webhook.md), [\`trigger.form\`](nodes/trigger.form.md),
[\`trigger.schedule\`](nodes/trigger.schedule.md) or [\`trigger.event\`](nodes/trigger.event.md), and the
[options](start-options.md) of the runs that these start. Most texts may contain [expressions](expressions.md).`;

/** An object of a definition, and where it is. */
interface Part {
  /** Names from the definition, with dots; \`[]\` stands for the items of a list. Empty for the definition. */
  readonly path: string;
  readonly schema: Schema;
  /** The version that added it. */
  readonly since: string;
}

const FIRST_VERSION = '0.1.0';

/** Returns an object and the objects in it, each before those in it. */
export function partsOf(schema: Schema, path = '', before = FIRST_VERSION): Part[] {
  const since = schema['x-since'] ?? before;
  if (schema.items) return partsOf(schema.items, `${path}[]`, since);
  if (!schema.properties) return [];
  const inner = Object.entries(schema.properties).flatMap(([name, member]) =>
    partsOf(member, path === '' ? name : `${path}.${name}`, since),
  );
  return [{ path, schema, since }, ...inner];
}

/** Returns an example of a member, or of what its schema chooses from. */
export function exampleIn({ examples = [], anyOf = [] }: Schema): unknown {
  return [...examples, ...anyOf.flatMap((choice) => choice.examples ?? [])][0];
}

/** Returns the page about the definition: a table for each of its objects. */
export function definitionPage(definition: Schema): string {
  return `${[INTRODUCTION, ...partsOf(definition).map(sectionOf)].join('\n\n')}\n`;
}

function sectionOf({ path, since, schema: { description, properties = {}, required = [] } }: Part): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description: meaning = '', default: fallback } = schema;
    const example = exampleIn(schema);
    const cells = [
      code(name),
      typeText(schema),
      required.includes(name) ? 'required' : fallback === undefined ? '' : code(fallback),
      example === undefined ? '' : code(example),
      schema['x-since'] ?? since,
      meaning,
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  const head = ['| member | type | default | example | since | meaning |', '| --- | --- | --- | --- | --- | --- |'];
  return [
    `## ${path === '' ? 'Members' : code(path)}`,
    ...(description === undefined ? [] : [`${description}.`]),
    [...head, ...rows].join('\n'),
  ].join('\n\n');
}
