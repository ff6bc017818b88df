import { type JsonValue, parseJson } from '@deckhand/contracts';
import { createFormatter, type Formatter } from './intl-formatters.ts';

/** The longest text of a request, in characters. */
const MAX_REQUEST = 1_000_000;
/** The longest list of languages and options, in characters of JSON. */
const MAX_SETTINGS = 10_000;
/** Number of formatters of a script, which take memory outside the sandbox. */
const MAX_FORMATTERS = 500;

/** The functions by which a script uses the host's `Intl`. They never throw. */
export interface IntlHost {
  /**
   * Calls a method. @param settings `[class, locales, options]` as JSON. @param args a list as JSON.
   * @returns `{ value }`, or `{ error, isRange }`, as JSON.
   */
  ask(settings: string, method: string, args: string): string;
  /**
   * Compares two texts. A sort calls it often, so the texts are passed as they are.
   * @returns the order, or an error as `ask` does.
   */
  compare(settings: string, a: string, b: string): number | string;
}

/**
 * Creates the functions for one script, which shares nothing with other scripts. Their results depend on nothing but
 * the request and the data of the runtime.
 */
export function createIntlHost(): IntlHost {
  const formatters = new Map<string, Formatter>();
  const call = (settings: string, method: string, args: readonly JsonValue[]): unknown => {
    let formatter = formatters.get(settings);
    if (!formatter) {
      if (settings.length > MAX_SETTINGS) throw tooLong(MAX_SETTINGS, 'the languages and options have');
      if (formatters.size >= MAX_FORMATTERS) {
        throw new RangeError(`a script may use ${MAX_FORMATTERS} different combinations of languages and options`);
      }
      formatter = createFormatter(parseJson(settings));
      formatters.set(settings, formatter);
    }
    return formatter(method, args);
  };
  return {
    ask(settings, method, args) {
      try {
        if (args.length > MAX_REQUEST) throw tooLong(MAX_REQUEST, 'the text has');
        const list = parseJson(args);
        if (!Array.isArray(list)) throw new TypeError('the arguments are not a list');
        return JSON.stringify({ value: call(settings, method, list) });
      } catch (error) {
        return toError(error);
      }
    },
    compare(settings, a, b) {
      try {
        if (a.length + b.length > MAX_REQUEST) throw tooLong(MAX_REQUEST, 'the texts have');
        return Number(call(settings, 'compare', [a, b]));
      } catch (error) {
        return toError(error);
      }
    },
  };
}

function tooLong(max: number, subject: string): RangeError {
  return new RangeError(`${subject} more than ${max} characters`);
}

/** Returns the message of an error, without its stack, which names files of the host. */
function toError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ error: message, isRange: error instanceof RangeError });
}
