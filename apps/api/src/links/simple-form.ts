import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { markup, type Markup } from './markup.ts';

/** A form that plain inputs can show: an object of texts, numbers, booleans and choices. */
export type SimpleForm = readonly Field[];

interface Field {
  /** Its name in the data. */
  readonly name: string;
  /** Its name in the form that the browser sends. */
  readonly input: string;
  readonly schema: JsonObject;
  readonly type: 'string' | 'number' | 'boolean' | 'choice';
  readonly isRequired: boolean;
}

/** Texts as a browser sent them, by the names of inputs. */
export type Entered = Readonly<Record<string, string | readonly string[]>>;

const MAX_FIELDS = 50;
/** A text that may be longer has several lines, as one that asks for it (`contentMediaType`) has. */
const LINE_LENGTH = 200;
/** With these, the members of the data cannot be read off `properties`, or not all combinations of them fit. */
const NOT_SIMPLE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'const'];

/** Returns the fields of a form; undefined for one that needs more than plain inputs. */
export function simpleForm(schema: unknown): SimpleForm | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object' || hasAny(schema, NOT_SIMPLE)) return undefined;
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required) || isJsonObject(additionalProperties)) return undefined;
  const wanted = new Set<JsonValue>(required);
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS || [...wanted].some((name) => !entries.some(([known]) => known === name))) {
    return undefined;
  }
  const fields: Field[] = [];
  for (const [index, [name, property]] of entries.entries()) {
    const type = isJsonObject(property) ? typeOf(property) : undefined;
    if (!isJsonObject(property) || type === undefined) return undefined;
    fields.push({ name, input: `field-${index}`, schema: property, type, isRequired: wanted.has(name) });
  }
  return fields;
}

function typeOf(schema: JsonObject): Field['type'] | undefined {
  if (hasAny(schema, NOT_SIMPLE)) return undefined;
  if (schema.enum !== undefined) {
    const choices: readonly JsonValue[] = Array.isArray(schema.enum) ? schema.enum : [];
    return choices.length > 0 && choices.every((choice) => typeof choice !== 'object') ? 'choice' : undefined;
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    default:
      return undefined;
  }
}

function hasAny(schema: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

/** Reads the data of a form from what a browser sent. What does not fit stays text, which the form's check refuses. */
export function readSimpleForm(form: SimpleForm, entered: Entered): JsonObject {
  return Object.fromEntries(
    form.flatMap((field): [string, JsonValue][] => {
      const value = valueOf(field, textOf(entered, field.input));
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

/** Returns the text of an input, with the line breaks of JSON data; "" if the browser sent none, or several. */
export function textOf(entered: Entered, input: string): string {
  const text = entered[input];
  return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : '';
}

function valueOf({ type, schema }: Field, text: string): JsonValue | undefined {
  switch (type) {
    case 'boolean':
      return text !== '';
    case 'number':
      if (text.trim() === '') return undefined;
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 'choice': {
      if (text === '') return undefined;
      const choices: readonly JsonValue[] = Array.isArray(schema.enum) ? schema.enum : [];
      return choices.find((choice) => JSON.stringify(choice) === text) ?? text;
    }
    case 'string':
      return text === '' ? undefined : text;
  }
}

/**
 * Returns the inputs of a form.
 * @param entered what a person entered before; undefined shows the defaults.
 * @param translate translates texts of the page.
 */
export function simpleFormInputs(
  form: SimpleForm,
  entered: Entered | undefined,
  translate: (text: string) => string,
): Markup {
  const optional = translate('(optional)');
  return markup`${form.map((field) => inputOf(field, entered && textOf(entered, field.input), optional))}`;
}

/** Returns the name of a field as people see it. */
export function labelOf({ name, schema: { title } }: Field): string {
  return typeof title === 'string' && title !== '' ? title : name;
}

function inputOf(field: Field, entered: string | undefined, optional: string): Markup {
  const { input, type, schema, isRequired } = field;
  const { description } = schema;
  const help = typeof description === 'string' && markup`<small id="${input}-help">${description}</small>`;
  const described = help && markup` aria-describedby="${input}-help"`;
  const attributes = markup`id="${input}" name="${input}"${described}`;
  const control = controlOf(field, entered ?? defaultOf(field), attributes);
  const label = labelOf(field);
  if (type === 'boolean')
    return markup`<div class="field"><label class="check">${control} ${label}</label>${help}</div>`;
  const mark = isRequired ? '' : markup` <small>${optional}</small>`;
  return markup`<div class="field"><label for="${input}">${label}${mark}</label>${control}${help}</div>`;
}

function defaultOf({ type, schema: { default: value } }: Field): string {
  if (value === undefined || value === null || typeof value === 'object') return '';
  if (type === 'boolean') return value === true ? 'on' : '';
  return type === 'choice' ? JSON.stringify(value) : String(value);
}

function controlOf({ type, schema, isRequired }: Field, text: string, attributes: Markup): Markup {
  const required = isRequired && markup` required`;
  switch (type) {
    case 'boolean':
      return markup`<input type="checkbox" ${attributes}${text !== '' && markup` checked`} />`;
    case 'number':
      return markup`<input type="number" step="${schema.type === 'integer' ? '1' : 'any'}" value="${text}"
        ${attributes}${required} />`;
    case 'choice': {
      const choices: readonly JsonValue[] = Array.isArray(schema.enum) ? schema.enum : [];
      const options = choices.map((choice) => {
        const value = JSON.stringify(choice);
        return markup`<option value="${value}"${value === text && markup` selected`}>${typeof choice === 'string' ? choice : value}</option>`;
      });
      return markup`<select ${attributes}${required}><option value=""></option>${options}</select>`;
    }
    case 'string':
      return isLong(schema)
        ? markup`<textarea rows="4" ${attributes}${required}>
${text}</textarea>`
        : markup`<input type="${inputType(schema.format)}" value="${text}" ${attributes}${required} />`;
  }
}

function isLong({ contentMediaType, maxLength }: JsonObject): boolean {
  return contentMediaType === 'text/plain' || (typeof maxLength === 'number' && maxLength > LINE_LENGTH);
}

function inputType(format: JsonValue | undefined): string {
  if (format === 'email' || format === 'date') return format;
  return format === 'uri' ? 'url' : 'text';
}
