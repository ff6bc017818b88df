import type { JsonObject, JsonValue, NodeDefinition } from '@deckhand/contracts';
import { isExpression } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, outputOf } from './converter.ts';
import { reviewOthers } from './triggers.ts';

/** The first version in which a field has a name beside its label. */
const WITH_NAMES = 2.4;

/** A field of n8n's form, as it is here. */
interface Field {
  /** Properties of the schema: one, or one for each of several choices. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** JavaScript for the member of the item, of what was `sent`. */
  readonly value: string;
  readonly name: string;
  /** The name in the data of its file. */
  readonly file?: string;
}

/** A form starts a run; a script makes the item of n8n of its fields. */
export function formTrigger({ id, node, parameters, review }: Conversion): Converted {
  const { formTitle = '', formDescription = '', formFields, responseMode = 'onReceived', options } = parameters;
  const { authentication = 'none' } = parameters;
  if (authentication !== 'none') return unsupported('a form whose senders sign in');
  const { respondWithOptions, buttonLabel: _, path: __, ignoreBots: ___, ...more } = object(options);
  const { useWorkflowTimezone: ____, appendAttribution: _____, customCss: ______, ipWhitelist, ...others } = more;
  if (text(ipWhitelist) !== undefined) return unsupported('addresses that alone may use it (ipWhitelist)');
  reviewOthers(others, review);
  const given = list(object(formFields).values).map(object);
  if (given.length === 0) review('its form has no fields: add them');
  const fields = given.flatMap((each) => fieldOf(each, node.version, review));
  const title = isExpression(formTitle) ? unsupported('a title that is an expression') : show(formTitle);
  const intro = isExpression(formDescription) ? unsupported('a text that is an expression') : show(formDescription);
  review('the form has another address, which is generated, and looks different');
  review('a field that is left empty is an empty text, an empty number 0 and other fields null, as browsers send them');
  review('submittedAt is the time in UTC at which the item is made');
  if (responseMode !== 'onReceived') review('its sender gets the text of thanks at once, in n8n what the run responds');
  const { respondWith = 'text', formSubmittedText, redirectUrl } = object(object(respondWithOptions).values);
  if (isExpression(formSubmittedText ?? '') || isExpression(redirectUrl ?? ''))
    return unsupported('a text of thanks, or an address, that is an expression');
  const isRedirect = respondWith === 'redirect' && text(redirectUrl) !== undefined;
  const form: NodeDefinition = {
    id,
    type: 'trigger.form',
    name: node.name,
    parameters: {
      title: title.trim() === '' ? node.name : title.slice(0, 500),
      ...(intro.trim() !== '' && { intro: intro.slice(0, 5_000) }),
      schema: {
        type: 'object',
        properties: Object.fromEntries(fields.flatMap(({ properties }) => Object.entries(properties))),
        required: fields.flatMap(({ required }) => required),
      },
      ...(isRedirect && { redirectUrl: show(redirectUrl) }),
      ...(!isRedirect && text(formSubmittedText) !== undefined && { thanks: show(formSubmittedText).slice(0, 2_000) }),
    },
  };
  const itemId = `${id}__item`;
  const members = fields.map(({ name, value }) => `  ${JSON.stringify(name)}: ${value},`);
  const source = [
    `const sent = $nodes.${id}.output;`,
    'return {',
    ...members,
    '  submittedAt: new Date().toISOString(),',
    "  formMode: 'production',",
    '};',
  ].join('\n');
  const files = fields.flatMap(({ name, file }) =>
    file === undefined
      ? []
      : [`${JSON.stringify(name.replace(/\W/g, '_'))}: $nodes.${id}.output[${JSON.stringify(file)}]`],
  );
  return {
    nodes: [form, { id: itemId, type: 'code', name: `${node.name}: item`, parameters: { source } }],
    edges: [{ source: id, target: itemId }],
    outputs: [
      {
        nodeId: itemId,
        source: { ...outputOf(itemId, 'one'), ...(files.length > 0 && { files: `({ ${files.join(', ')} })` }) },
      },
    ],
  };
}

/** Schemas of fields whose values are texts. */
const TEXTS: Readonly<Record<string, JsonObject>> = {
  text: { type: 'string' },
  email: { type: 'string', format: 'email' },
  password: { type: 'string' },
  textarea: { type: 'string', contentMediaType: 'text/plain' },
  date: { type: 'string', format: 'date' },
};

/** Returns a field; none for one that is only shown. @throws UnsupportedError */
function fieldOf(given: JsonObject, version: number, review: (message: string) => void): Field[] {
  const { fieldType: type = 'text', fieldLabel, fieldName, requiredField = false, formatDate } = given;
  const label = text(fieldLabel) ?? text(fieldName) ?? '';
  const name = (version >= WITH_NAMES ? text(fieldName) : undefined) ?? label;
  if (type === 'html') {
    if (text(given.elementName) !== undefined) return unsupported('HTML that is part of the item');
    review('HTML of the page is left out, and so is the empty member of the item under its label');
    return [];
  }
  if (name === '' || isExpression(name) || isExpression(label)) return unsupported('a field without a fixed name');
  if (text(formatDate) !== undefined) return unsupported('a date in a format of its own');
  const { placeholder, defaultValue } = given;
  const hint = text(placeholder);
  const shown = { title: label, ...(hint !== undefined && !isExpression(hint) && { description: hint }) };
  const key = JSON.stringify(name);
  const required = requiredField === true ? [name] : [];
  const one = (schema: JsonObject, value: string): Field[] => [
    { name, required, properties: { [name]: { ...shown, ...schema } }, value },
  ];
  const byDefault = text(defaultValue);
  if (byDefault !== undefined && isExpression(byDefault))
    return unsupported('a value by default that is an expression');
  const preset: JsonObject = byDefault === undefined ? {} : { default: byDefault };
  const schema = lookup(TEXTS, type);
  if (schema) {
    const trimmed = type === 'text' || type === 'email' ? '.trim()' : '';
    return one({ ...schema, ...preset }, `(sent[${key}] ?? '')${trimmed}`);
  }
  switch (type) {
    case 'number':
      return one({ type: 'number', ...numberByDefault(byDefault) }, `sent[${key}] ?? 0`);
    case 'dropdown':
    case 'radio':
    case 'checkbox':
      return choiceOf(given, { name, label, required, shown, preset, review });
    case 'file':
      if (given.multipleFiles !== false) review('a field for files takes one here, in n8n several');
      return [fileOf(given, { name, required, shown })];
    default:
      return unsupported(`a field of the type ${show(type)}`);
  }
}

function numberByDefault(given: string | undefined): JsonObject {
  const number = given === undefined ? Number.NaN : Number(given);
  return Number.isFinite(number) ? { default: number } : {};
}

/** What fields have in common. */
interface Common {
  readonly name: string;
  readonly required: readonly string[];
  readonly shown: JsonObject;
}

/** What a field of choices has, too. */
interface ChoiceField extends Common {
  readonly label: string;
  readonly preset: JsonObject;
  readonly review: (message: string) => void;
}

/** Returns a choice; one of which several can be taken has a field for each. */
function choiceOf(
  { fieldType, fieldOptions, multiselect, limitSelection = 'unlimited' }: JsonObject,
  { name, label, required, shown, preset, review }: ChoiceField,
): Field[] {
  const choices = [...new Set(list(object(fieldOptions).values).map((each) => show(object(each).option ?? '')))];
  if (choices.length === 0 || choices.some((each) => each === '' || isExpression(each))) {
    return unsupported('choices that are not fixed');
  }
  const key = JSON.stringify(name);
  const isMany = fieldType === 'checkbox' || multiselect === true;
  if (!isMany) {
    const empty = fieldType === 'radio' ? 'null' : "''";
    return [
      {
        name,
        required,
        properties: { [name]: { ...shown, enum: choices, ...preset } },
        value: `sent[${key}] ?? ${empty}`,
      },
    ];
  }
  if (limitSelection !== 'unlimited') return unsupported('a number of choices that have to be taken');
  if (Object.hasOwn(preset, 'default')) review('no choice is taken by default');
  if (required.length > 0) review('none of several choices need be taken, in n8n one at least');
  const member = (choice: string): string => `${name}: ${choice}`;
  const taken = choices.map(
    (choice) => `sent[${JSON.stringify(member(choice))}] === true ? [${JSON.stringify(choice)}] : []`,
  );
  const properties: Record<string, JsonValue> = {};
  for (const choice of choices) properties[member(choice)] = { type: 'boolean', title: `${label}: ${choice}` };
  return [{ name, required: [], properties, value: `[[], ${taken.join(', ')}].flat()` }];
}

/** Returns a field for a file. */
function fileOf({ multipleFiles = true, acceptFileTypes }: JsonObject, { name, required, shown }: Common): Field {
  const key = JSON.stringify(name);
  const types = text(acceptFileTypes);
  const file = `{ filename: sent[${key}].file?.name ?? sent[${key}].filename, mimetype: sent[${key}].file?.contentType ?? sent[${key}].contentType, size: sent[${key}].file?.bytes ?? sent[${key}].bytes }`;
  const value = multipleFiles === false ? file : `[${file}]`;
  const accept: JsonObject =
    types === undefined || isExpression(types) ? {} : { accept: types.split(',').map((each) => each.trim()) };
  return {
    ...{ name, required, file: name },
    properties: { [name]: { ...shown, file: accept } },
    value: `sent[${key}] ? ${value} : null`,
  };
}
