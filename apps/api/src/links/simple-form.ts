import {
  type FileField,
  fileFieldOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  storedFileOf,
} from '@deckhand/contracts';
import { markup, type Markup } from './markup.ts';
import type { PageLanguage } from './page-language.ts';

/** A form that plain inputs can show: an object of texts, numbers, booleans, choices and files. */
export type SimpleForm = readonly Field[];

/** A field of a form, with one input. */
export interface Field {
  /** Its name in the data. */
  readonly name: string;
  /** Its name in the form that the browser sends. */
  readonly input: string;
  readonly schema: JsonObject;
  readonly type: 'string' | 'number' | 'boolean' | 'choice' | 'file';
  /** Of a field for files. */
  readonly files: FileField | undefined;
  readonly isRequired: boolean;
}

/** Texts as a browser sent them, and files that were stored, by the names of inputs. */
export type Entered = Readonly<Record<string, JsonValue | undefined>>;

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
    const files = type === 'file' ? fileFieldOf(property) : undefined;
    fields.push({ name, input: `field-${index}`, schema: property, type, files, isRequired: wanted.has(name) });
  }
  return fields;
}

function typeOf(schema: JsonObject): Field['type'] | undefined {
  if (hasAny(schema, NOT_SIMPLE)) return undefined;
  if (fileFieldOf(schema)) return 'file';
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
      const value = field.files
        ? filesOf(field.files, entered[field.input])
        : valueOf(field, textOf(entered, field.input));
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

/** Returns the text of an input, with the line breaks of JSON data; "" if the browser sent none, or several. */
export function textOf(entered: Entered, input: string): string {
  const text = entered[input];
  return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : '';
}

/** Returns the file values of a field. A text is never one, whatever it says. */
function filesOf({ isList }: FileField, entered: JsonValue | undefined): JsonValue | undefined {
  const files = [entered ?? []].flat().filter((value) => storedFileOf(value));
  if (files.length === 0) return undefined;
  return isList || files.length > 1 ? files : files[0];
}

function valueOf({ type, schema }: Field, text: string): JsonValue | undefined {
  switch (type) {
    case 'file':
      return undefined;
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
 */
export function simpleFormInputs(form: SimpleForm, entered: Entered | undefined, language: PageLanguage): Markup {
  return markup`${form.map((field) => inputOf(field, entered && textOf(entered, field.input), language))}`;
}

/** Returns the name of a field as people see it. */
export function labelOf({ name, schema: { title } }: Field): string {
  return typeof title === 'string' && title !== '' ? title : name;
}

function inputOf(field: Field, entered: string | undefined, { text, message }: PageLanguage): Markup {
  const { input, type, schema, files, isRequired } = field;
  const { description } = schema;
  const texts = [typeof description === 'string' ? description : '', files ? message(limitsOf(files)) : ''];
  const helpText = texts.filter((each) => each !== '').join(' ');
  const help = helpText !== '' && markup`<small id="${input}-help">${helpText}</small>`;
  const described = help && markup` aria-describedby="${input}-help"`;
  const attributes = markup`id="${input}" name="${input}"${described}`;
  const control = controlOf(field, entered ?? defaultOf(field), attributes);
  const label = labelOf(field);
  if (type === 'boolean')
    return markup`<div class="field"><label class="check">${control} ${label}</label>${help}</div>`;
  const mark = isRequired ? '' : markup` <small>${text('(optional)')}</small>`;
  return markup`<div class="field"><label for="${input}">${label}${mark}</label>${control}${help}</div>`;
}

const MIB = 1_048_576;

/** Says which files a field takes. */
function limitsOf({ accept, maxBytes, maxFiles, isList }: FileField): string {
  const size =
    maxBytes < MIB ? `${maxBytes.toLocaleString('en')} bytes` : `${Math.floor((maxBytes / MIB) * 10) / 10} MiB`;
  const types = accept.length === 0 ? '' : ` (${accept.join(', ')})`;
  return isList ? `Up to ${maxFiles} files${types}, of at most ${size} each.` : `A file${types} of at most ${size}.`;
}

function defaultOf({ type, schema: { default: value } }: Field): string {
  if (value === undefined || value === null || typeof value === 'object') return '';
  if (type === 'boolean') return value === true ? 'on' : '';
  return type === 'choice' ? JSON.stringify(value) : String(value);
}

function controlOf({ type, schema, files, isRequired }: Field, text: string, attributes: Markup): Markup {
  const required = isRequired && markup` required`;
  switch (type) {
    case 'file': {
      const accept = files && files.accept.length > 0 && markup` accept="${files.accept.join(',')}"`;
      return markup`<input type="file" ${attributes}${accept}${files?.isList === true && markup` multiple`}${required} />`;
    }
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
