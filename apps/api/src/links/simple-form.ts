import {
  type FileField,
  type JsonObject,
  type JsonValue,
  type SimpleField,
  type SimpleForm,
  storedFileOf,
} from '@deckhand/contracts';
import { markup, type Markup } from './markup.ts';
import type { PageLanguage } from './page-language.ts';

/** Texts as a browser sent them, and files that were stored, by the names of inputs. */
export type Entered = Readonly<Record<string, JsonValue | undefined>>;

/** A text that may be longer has several lines, as one that asks for it (`contentMediaType`) has. */
const LINE_LENGTH = 200;
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

function valueOf({ type, schema }: SimpleField, text: string): JsonValue | undefined {
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
export function labelOf({ name, schema: { title } }: SimpleField): string {
  return typeof title === 'string' && title !== '' ? title : name;
}

function inputOf(field: SimpleField, entered: string | undefined, { text, message }: PageLanguage): Markup {
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

function defaultOf({ type, schema: { default: value } }: SimpleField): string {
  if (value === undefined || value === null || typeof value === 'object') return '';
  if (type === 'boolean') return value === true ? 'on' : '';
  return type === 'choice' ? JSON.stringify(value) : String(value);
}

function controlOf({ type, schema, files, isRequired }: SimpleField, text: string, attributes: Markup): Markup {
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
